# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m benchmarks.floor PORT MESSAGES: the least a driver must do, as a program.

One thread blocks on the port and publishes ready-made messages for every SIP; a subscription writes one fixed frame.
Nothing is decoded, checked or remembered. Without a PORT it is a node that does nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import threading
import tty

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Range

from amigobot_driver.protocol import Command


def main() -> None:
    """Runs until SIGINT."""
    # SIGTERM ends the process at once. With the handler of rclpy it may wait on: it is woken before ROS shuts down, and
    # has no timer that would wake it again.
    rclpy.init(signal_handler_options=SignalHandlerOptions.SIGINT)
    node = rclpy.create_node("floor")
    if sys.argv[1:]:
        drive(node, sys.argv[1], int(sys.argv[2]))
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


def drive(node: Node, path: str, messages: int) -> None:
    """Publish for each SIP, and write a frame for each velocity."""
    port = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port, termios.TCSANOW)
    odom = node.create_publisher(Odometry, "odom", 10)
    others = [node.create_publisher(Range, f"sonar/range_{number}", 10) for number in range(messages - 1)]
    frame = Command.VEL(200).encode()
    node.create_subscription(Twist, "cmd_vel", lambda message: os.write(port, frame), 1)

    def read() -> None:
        first, other = Odometry(), Range()
        while os.read(port, 4096):
            odom.publish(first)
            for publisher in others:
                publisher.publish(other)

    threading.Thread(target=read, daemon=True).start()


main()
