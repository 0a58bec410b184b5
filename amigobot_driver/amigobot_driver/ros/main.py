# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The executable `amigobot_node`: runs the node, and stops the robot before it exits."""

from __future__ import annotations

import os
import signal
import sys
import threading

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from .node import AmigobotNode
from .parameters import BadParameter


def main(args: list[str] | None = None) -> int:
    """Run until SIGINT, SIGTERM, SIGHUP or a shutdown of ROS.

    Returns:
        The exit code: 0, or 2 if a parameter has a value that is not allowed.
    """
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        # A closed terminal or a lost SSH connection acts like Ctrl-C, except under nohup.
        _interrupt_on_hangup()
    rclpy.init(args=args)
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
    except RuntimeError:
        # rclpy raises this if a callback publishes while ROS shuts down.
        if rclpy.ok():
            raise
    finally:
        # Stop the robot after an exception too. ros2 launch repeats the Ctrl-C of the terminal: the second one must not
        # interrupt the shutdown sequence.
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if node:
            node.close()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _interrupt_on_hangup() -> None:
    """Turn SIGHUP into SIGINT, which rclpy notices while it waits; a Python handler runs only after the wait."""
    signals, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.signal(signal.SIGHUP, lambda *_: None)
    signal.set_wakeup_fd(write_end)

    def watch() -> None:
        while signal.SIGHUP not in os.read(signals, 1):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, name="amigobot-hangup", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
