# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of every tool that say which robot, and the connection that they make."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, closing

from amigobot_driver.cli.robot_arguments import DEFAULT_PORT, add_node_arguments, add_robot_arguments, through_node

from .state import Remote


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--port`, `--robot`, `--timeout`, `--ros` and `--namespace`."""
    add_robot_arguments(parser)
    add_node_arguments(parser)


def connected(args: argparse.Namespace, *, drives: bool) -> AbstractContextManager[Remote]:
    """Connect as the arguments say; the end of a `with` block stops the robot and ends the connection.

    Args:
        args: With the arguments of `add_connection_arguments`.
        drives: Whether the tool drives the robot; otherwise the motors are left as they are.

    Raises:
        UsageError: The arguments exclude each other.
        AmigoBotError: There is no robot; the message says why.
    """
    if through_node(args):
        from .node_remote import NodeRemote  # needs ROS

        return closing(NodeRemote(args.namespace, drives=drives, timeout=args.timeout))
    from .port_remote import PortRemote

    return closing(PortRemote(args.port or DEFAULT_PORT, args.robot, drives=drives, timeout=args.timeout))
