# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.soak.publish LINEAR ANGULAR: publish cmd_vel at 10 Hz until ended."""

from __future__ import annotations

import contextlib
import sys

import rclpy
from geometry_msgs.msg import Twist
from rclpy.executors import ExternalShutdownException


def main() -> None:
    """Runs until SIGINT."""
    rclpy.init()
    node = rclpy.create_node("soak_publisher")
    publisher = node.create_publisher(Twist, "cmd_vel", 1)
    message = Twist()
    message.linear.x, message.angular.z = float(sys.argv[1]), float(sys.argv[2])
    node.create_timer(0.1, lambda: publisher.publish(message))
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


main()
