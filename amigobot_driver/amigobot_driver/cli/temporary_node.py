# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A node of a command-line program, which is in the graph only as long as the program needs it. Needs ROS."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor

from ..wording import domain_problem
from .usage_error import UsageError

T = TypeVar("T", bound="TemporaryNode")

#: Ends a message about a node that does not respond.
NO_NODE = "is amigobot_node running in this namespace and ROS_DOMAIN_ID?"
#: Arguments of `rclpy.init`: a command-line program writes no log file, so it runs where none can be written.
_NO_LOG_FILE = ["--ros-args", "--disable-external-lib-logs"]
_WAIT = 0.1  #: s that the executor waits at a time; Ctrl-C does not end the wait


class TemporaryNode:
    """A node with a context and an executor of its own. Ends with `close` or with its `with` block."""

    def __init__(self, name: str, namespace: str = "") -> None:
        if problem := domain_problem():
            raise UsageError(problem)
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=_NO_LOG_FILE)
        unused = {"enable_rosout": False, "start_parameter_services": False}
        self.node = rclpy.create_node(name, namespace=f"/{namespace}", context=self._context, **unused)
        self.executor = SingleThreadedExecutor(context=self._context)
        self.executor.add_node(self.node)

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def spin(self, seconds: float, until: Callable[[], object] = lambda: False) -> None:
        """Run the callbacks of the node for this time (s), or until a condition holds."""
        end = time.monotonic() + seconds
        while not until() and (remaining := end - time.monotonic()) > 0:
            self.executor.spin_once(timeout_sec=min(_WAIT, remaining))

    def close(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)
