# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A node of a command-line program, which is in the graph only as long as the program needs it."""

from __future__ import annotations

import time
from typing import TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor

T = TypeVar("T", bound="TemporaryNode")

#: Arguments of `rclpy.init`: a command-line program writes no log file, so it runs where none can be written.
NO_LOG_FILE = ["--ros-args", "--disable-external-lib-logs"]


class TemporaryNode:
    """A node with a context and an executor of its own. Ends with `close` or with its `with` block."""

    def __init__(self, name: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=NO_LOG_FILE)
        self.node = rclpy.create_node(name, context=self._context, enable_rosout=False, start_parameter_services=False)
        self.executor = SingleThreadedExecutor(context=self._context)
        self.executor.add_node(self.node)

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def spin(self, seconds: float) -> None:
        """Run the callbacks of the node for this time (s)."""
        end = time.monotonic() + seconds
        while (remaining := end - time.monotonic()) > 0:
            self.executor.spin_once(timeout_sec=remaining)

    def close(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)
