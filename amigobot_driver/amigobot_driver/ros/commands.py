"""Velocity commands in three forms: `cmd_vel`, `cmd_wheels` and `cmd_heading`."""

from __future__ import annotations

import re
from collections.abc import Callable

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node

from amigobot_msgs.msg import HeadingVelocity, WheelVelocities

from ..driver import Driver
from ..robot import Refused, Robot
from .diagnostics import OK, Finding
from .log import LogThrottle
from .parameters import NodeParameters

_TOPIC = "cmd_vel"
_NUMBER = re.compile(r"-?\d[\d.e+-]*|\b-?(nan|inf)\b")


class VelocityInput:
    """Subscribes to cmd_vel (Twist or TwistStamped), cmd_wheels and cmd_heading, and drives the robot.

    The core checks every value; this class checks the age of stamped messages and logs why a velocity was refused.
    """

    def __init__(self, node: Node, parameters: NodeParameters, driver: Driver, throttle: LogThrottle) -> None:
        self._node = node
        self._parameters = parameters
        self._driver = driver
        self._throttle = throttle
        # Depth 1: only the newest velocity matters.
        if parameters["enable_stamped_cmd_vel"]:
            node.create_subscription(TwistStamped, _TOPIC, self._on_stamped, 1)
        else:
            node.create_subscription(Twist, _TOPIC, self._on_twist, 1)
        node.create_subscription(WheelVelocities, "cmd_wheels", self._on_wheels, 1)
        node.create_subscription(HeadingVelocity, "cmd_heading", self._on_heading, 1)

    def warn_about_other_type(self) -> None:
        """Warn about publishers of the other Twist type: ROS never connects them to this node."""
        stamped = bool(self._parameters["enable_stamped_cmd_vel"])
        expected = "TwistStamped" if stamped else "Twist"
        for publisher in self._node.get_publishers_info_by_topic(_TOPIC):
            kind = publisher.topic_type.rpartition("/")[2]
            if kind != expected and self._throttle.due(f"{publisher.node_name} {kind}"):
                self._node.get_logger().warning(
                    f"{publisher.node_name} publishes {_TOPIC} as {kind}, but this node expects {expected}: "
                    f"start it with -p enable_stamped_cmd_vel:={str(not stamped).lower()}"
                )

    def finding(self) -> Finding:
        """Return the diagnostics status: the publishers of velocities. Several are allowed."""
        found = self._node.get_publishers_info_by_topic(_TOPIC)
        names = ", ".join(sorted(publisher.node_name for publisher in found)) or "no node"
        message = f"published by {names}"
        if len(found) > 1:
            message = f"{len(found)} publishers, the newest message counts: {names}"
        return OK, message, {"publishers": len(found)}

    def _on_stamped(self, message: TwistStamped) -> None:
        stamp = message.header.stamp
        if stamp.sec or stamp.nanosec:
            # Plain numbers: the Time class of rclpy raises for a stamp before 1970.
            age = self._node.get_clock().now().nanoseconds * 1e-9 - (stamp.sec + stamp.nanosec * 1e-9)
            if abs(age) > float(self._parameters["cmd_vel_timeout"]):
                with self._driver.robot() as robot:
                    robot.motion.stats.refused += 1
                self._refuse(_TOPIC, f"its stamp differs by {age:.1f} s from the clock of this computer")
                return
        self._on_twist(message.twist)

    def _on_twist(self, twist: Twist) -> None:
        self._drive(_TOPIC, lambda robot, now: robot.drive(twist.linear.x, twist.angular.z, now))

    def _on_wheels(self, message: WheelVelocities) -> None:
        self._drive("cmd_wheels", lambda robot, now: robot.drive_wheels(message.left, message.right, now))

    def _on_heading(self, message: HeadingVelocity) -> None:
        self._drive("cmd_heading", lambda robot, now: robot.drive_course(message.velocity, message.heading, now))

    def _drive(self, topic: str, command: Callable[[Robot, float], None]) -> None:
        try:
            with self._driver.robot() as robot:
                command(robot, self._driver.clock())
        except Refused as reason:
            self._refuse(topic, str(reason))

    def _refuse(self, topic: str, reason: str) -> None:
        # The same reason with another number is the same reason.
        if self._throttle.due(f"{topic} {_NUMBER.sub('#', reason)}"):
            self._node.get_logger().warning(f"{topic} refused: {reason}")
