# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Emergency stop of every robot whose driver can be reached, such as a whole fleet. Needs ROS.

    amigobot stop                       brake hard; each driver then refuses velocities
    amigobot stop --namespace alpha     one robot
    amigobot stop --clear               velocities are accepted again

It calls the service emergency_stop of each driver node in this ROS_DOMAIN_ID as soon as that node is discovered. A
program that drives a robot without a node, such as teleop at a port, is not reached: use the robot's button MOTORS.
"""

from __future__ import annotations

import argparse
import sys

from . import ranges
from .errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("--clear", action="store_true", help="clear the emergency stop")
    parser.add_argument("--namespace", metavar="NAME", help='only the driver in this namespace; "" for the one without')
    parser.add_argument(
        "--timeout",
        type=ranges.timeout,
        default=5.0,
        metavar="S",
        help="look for drivers, and wait for them (%(default)g s)",
    )


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status."""
    from ..ros.stop_all import stop_all

    answers: list[bool] = []

    def report(name: str, success: bool, message: str) -> None:
        answers.append(success)
        print(f"{name}: {message}", flush=True)

    silent = stop_all(args.namespace, report, clear=args.clear, seconds=args.timeout)
    for name in sorted(silent):
        print(f"{name}: NO RESPONSE within {args.timeout:g} s: press MOTORS on the robot", file=sys.stderr)
    if not answers and not silent:
        where = "" if args.namespace is None else f" in the namespace {args.namespace!r}"
        raise UsageError(
            f"no driver discovered{where} within {args.timeout:g} s: press MOTORS on the robot; "
            "check that ROS_DOMAIN_ID is the driver's"
        )
    return 0 if all(answers) and not silent else 1
