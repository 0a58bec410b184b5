# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Emergency stop of every robot whose driver can be reached, such as a whole fleet. Needs ROS.

    amigobot stop                       brake hard; each driver then refuses velocities
    amigobot stop --namespace alpha     one robot
    amigobot stop --clear               velocities are accepted again

It calls the service emergency_stop of each driver node in this ROS_DOMAIN_ID. It does not reach a program that drives a
robot without a node: use the robot's button MOTORS.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from ..errors import ConnectionFailedError
from .robot_arguments import add_timeout_argument

if TYPE_CHECKING:
    from rclpy.node import Node
    from rclpy.task import Future

_STOP, _CLEAR = "emergency_stop", "clear_emergency_stop"
#: s between two rounds. In each the services that have not responded are called again: the first call of a service that
#: was just discovered can get lost, and both services may be called twice.
_ROUND = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("--clear", action="store_true", help="clear the emergency stop")
    parser.add_argument("--namespace", metavar="NAME", help='only the driver in this namespace; "" for the one without')
    add_timeout_argument(parser, "look for drivers, and wait for them", default=5.0)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    from std_srvs.srv import Trigger

    from .temporary_node import TemporaryNode

    only = None if args.namespace is None else f"/{args.namespace.strip('/')}".rstrip("/") + "/"
    calls: dict[str, list[Future]] = {}  #: to each driver
    answers: dict[str, Trigger.Response] = {}
    with TemporaryNode("amigobot_stop") as temporary:
        end = time.monotonic() + args.timeout
        while time.monotonic() < end and only not in answers:
            for name in _drivers(temporary.node) - answers.keys():
                if only in (None, name):
                    client = temporary.node.create_client(Trigger, name + (_CLEAR if args.clear else _STOP))
                    calls.setdefault(name, []).append(client.call_async(Trigger.Request()))
            temporary.spin(_ROUND)
            for name, futures in calls.items():
                if name not in answers and (done := [future.result() for future in futures if future.done()]):
                    answers[name] = done[0]
                    print(f"{name}: {done[0].message}", flush=True)
    silent = calls.keys() - answers.keys()
    for name in sorted(silent):
        print(f"{name}: NO RESPONSE within {args.timeout:g} s: press MOTORS on the robot", file=sys.stderr)
    if not answers and not silent:
        where = "" if args.namespace is None else f" in the namespace {args.namespace!r}"
        raise ConnectionFailedError(
            f"no driver discovered{where} within {args.timeout:g} s: press MOTORS on the robot; "
            "check that ROS_DOMAIN_ID is the driver's"
        )
    return 0 if all(answer.success for answer in answers.values()) and not silent else 1


def _drivers(node: Node) -> set[str]:
    """Return the namespaces, each with a slash at its end, that have both services."""
    triggers = {name for name, types in node.get_service_names_and_types() if "std_srvs/srv/Trigger" in types}
    prefixes = {name.removesuffix(_CLEAR) for name in triggers if name.endswith(f"/{_CLEAR}")}
    return {prefix for prefix in prefixes if prefix + _STOP in triggers}
