"""The executable `amigobot_node`: starts the node, and ends it so that the robot stands."""

from __future__ import annotations

import signal
import sys

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from .node import AmigobotNode
from .parameters import BadParameter


def main(args: list[str] | None = None) -> int:
    """Run until SIGINT, SIGTERM, SIGHUP or a shutdown; 2 when a parameter is wrong."""
    rclpy.init(args=args)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        # The terminal was closed, or the way to it broke: as if it had sent Ctrl-C. Not so under nohup.
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    node = None
    try:
        node = AmigobotNode()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()
    except BadParameter as error:
        rclpy.logging.get_logger("amigobot").fatal(str(error))
        return 2
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RCLError:
        # What a callback was about to publish when ROS was shut down under it.
        if rclpy.ok():
            raise
    finally:
        # Also on an exception: whatever went wrong, the robot stops first. A Ctrl-C under ros2 launch comes twice,
        # from the terminal and from launch: the second must not cut the farewell short.
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if node:
            node.close()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
