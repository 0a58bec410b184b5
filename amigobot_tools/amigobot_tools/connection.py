"""The options of every tool that say which robot, and the connection that they make."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

from amigobot_driver.cli import UsageError

from .state import Remote


def add_connection_arguments(parser: argparse.ArgumentParser, *, node: bool = True) -> None:
    """Add `--port`, `--robot` and `--timeout`; with `node` also `--ros` and `--namespace`."""
    group = parser.add_argument_group("which robot")
    group.add_argument(
        "--port",
        metavar="PORT",
        help="/dev/ttyUSB0, socket://HOST:8101, or sim:// for a simulated robot (default: sim://)",
    )
    group.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: as the robot says)")
    group.add_argument("--timeout", type=float, default=10.0, metavar="S", help="wait for the robot (%(default)g s)")
    if node:
        group.add_argument("--ros", action="store_true", help="through a running amigobot_node instead of a port")
        group.add_argument("--namespace", default="", metavar="NAME", help="namespace of the node; implies --ros")


@contextlib.contextmanager
def connected(args: argparse.Namespace, *, drives: bool) -> Iterator[Remote]:
    """Connect as the arguments say; the end of the block stops the robot and ends the connection.

    Args:
        args: With the arguments of `add_connection_arguments`.
        drives: Whether the tool drives the robot; otherwise the motors are left as they are.

    Raises:
        UsageError: The arguments exclude each other.
        AmigoBotError: There is no robot; the message says why.
    """
    remote = _connect(args, drives)
    try:
        yield remote
    finally:
        remote.close()


def _connect(args: argparse.Namespace, drives: bool) -> Remote:
    if getattr(args, "ros", False) or getattr(args, "namespace", ""):
        if args.port or args.robot:
            raise UsageError("--ros asks the node, which has its own port and profile: leave --port and --robot out")
        from .node_remote import NodeRemote  # needs ROS

        return NodeRemote(args.namespace, drives=drives, timeout=args.timeout)
    from .port_remote import PortRemote

    return PortRemote(args.port or "sim://", args.robot, drives=drives, timeout=args.timeout)
