# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of every subcommand that say which robot, and the connection that they make."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from ..connection_policy import CONNECT_TIMEOUT
from . import ranges
from .usage_error import UsageError

if TYPE_CHECKING:
    from ..api import AmigoBot
    from .node_robot import NodeRobot

DEFAULT_PORT = "sim://"
AnyRobot: TypeAlias = "AmigoBot | NodeRobot"  #: of `connect_either`


def add_robot_arguments(parser: argparse.ArgumentParser, *, default: str = DEFAULT_PORT) -> None:
    """Add `--port`, `--robot` and `--timeout`.

    Args:
        parser: Parser of the subcommand.
        default: What the subcommand takes without `--port`, for the help.
    """
    group = parser.add_argument_group("which robot")
    group.add_argument(
        "--port",
        metavar="PORT",
        help=f"/dev/ttyUSB0, HOST:8101, or sim:// for a simulated robot (default: {default})",
    )
    group.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: by its identity)")
    add_timeout_argument(group, "wait for the robot")


def add_timeout_argument(parser: argparse._ActionsContainer, text: str, *, default: float = CONNECT_TIMEOUT) -> None:
    """Add `--timeout` in s."""
    parser.add_argument("--timeout", type=ranges.timeout, default=default, metavar="S", help=f"{text} (%(default)g s)")


def add_node_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--ros` and `--namespace`."""
    group = parser.add_argument_group("or which node")
    group.add_argument("--ros", action="store_true", help="through a running amigobot_node instead of a port")
    group.add_argument("--namespace", default="", metavar="NAME", help="namespace of the node; implies --ros")


def through_node(args: argparse.Namespace) -> bool:
    """Return whether the arguments choose a node.

    Raises:
        UsageError: They choose a port as well.
    """
    chosen = bool(args.ros or args.namespace)
    if chosen and (args.port or args.robot):
        raise UsageError("--ros asks the node, which has its own port and profile: leave --port and --robot out")
    return chosen


def connect_either(args: argparse.Namespace, **options: bool) -> AnyRobot:
    """Connect to the robot or to the node of the arguments; see `connect`.

    Raises:
        UsageError: The arguments exclude each other.
        AmigoBotError: There is no robot; the message says why.
    """
    if not through_node(args):
        return connect(args, **options)
    from .node_robot import NodeRobot

    return NodeRobot(args.namespace, args.timeout)


def connect(args: argparse.Namespace, **options: bool) -> AmigoBot:
    """Connect to the robot of the arguments; its motors are left as they are.

    Args:
        args: With the arguments of `add_robot_arguments`.
        options: Further options of the driver.

    Raises:
        AmigoBotError: There is no robot; the message says why.
    """
    # Imported here: other subcommands do not need it.
    from ..robot import Options
    from .command_line_robot import CommandLineRobot

    chosen = Options(profile=args.robot, motors_on_connect=False, **options)  # type: ignore[arg-type]
    return CommandLineRobot(args.port or DEFAULT_PORT, timeout=args.timeout, options=chosen)
