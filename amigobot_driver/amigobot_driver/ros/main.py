"""The executable `amigobot_node`: starts the node, and ends it so that the robot stands."""

from __future__ import annotations

import sys

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from .node import AmigobotNode
from .parameters import BadParameter


def main(args: list[str] | None = None) -> int:
    """Run until SIGINT, SIGTERM or a shutdown; 2 when a parameter is wrong."""
    rclpy.init(args=args)
    try:
        node = AmigobotNode()
    except BadParameter as error:
        rclpy.logging.get_logger("amigobot").fatal(str(error))
        rclpy.try_shutdown()
        return 2
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        # Also on an exception: whatever went wrong, the robot stops first.
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
