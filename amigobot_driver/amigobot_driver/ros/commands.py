"""Velocities in: cmd_vel as Twist or TwistStamped, whatever arrives is checked before it can reach the robot."""

from __future__ import annotations

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node
from rclpy.time import Time

from ..driver import Driver
from ..robot import Refused
from .log import Once
from .parameters import Parameters

_TOPIC = "cmd_vel"


class VelocityInput:
    """Subscribes to cmd_vel and passes it on to the robot."""

    def __init__(self, node: Node, parameters: Parameters, driver: Driver, once: Once) -> None:
        self._node = node
        self._parameters = parameters
        self._driver = driver
        self._once = once
        self.stale = 0  #: messages refused because their stamp was old
        # Depth 1: of velocities only the newest means anything.
        if parameters["enable_stamped_cmd_vel"]:
            node.create_subscription(TwistStamped, _TOPIC, self._on_stamped, 1)
        else:
            node.create_subscription(Twist, _TOPIC, self._on_twist, 1)

    def explain_unheard(self) -> None:
        """A publisher of the other type is connected to nothing, silently: say so, with the fix."""
        stamped = bool(self._parameters["enable_stamped_cmd_vel"])
        wanted = "TwistStamped" if stamped else "Twist"
        for publisher in self._node.get_publishers_info_by_topic(_TOPIC):
            kind = publisher.topic_type.rpartition("/")[2]
            if kind != wanted and self._once.due(f"{publisher.node_name} {kind}"):
                self._node.get_logger().warning(
                    f"{publisher.node_name} publishes {_TOPIC} as {kind}, but this node takes {wanted}: "
                    f"start it with -p enable_stamped_cmd_vel:={str(not stamped).lower()}"
                )

    def _on_stamped(self, message: TwistStamped) -> None:
        stamp = Time.from_msg(message.header.stamp, clock_type=self._node.get_clock().clock_type)
        if stamp.nanoseconds:
            age = (self._node.get_clock().now() - stamp).nanoseconds * 1e-9
            if abs(age) > float(self._parameters["cmd_vel_timeout"]):
                self.stale += 1
                self._refuse(f"its stamp is {age:.1f} s off the clock of this computer", "stamp")
                return
        self._on_twist(message.twist)

    def _on_twist(self, twist: Twist) -> None:
        try:
            with self._driver.robot() as robot:
                robot.drive(twist.linear.x, twist.angular.z, self._driver.clock())
        except Refused as reason:
            self._refuse(str(reason), str(reason)[:12])

    def _refuse(self, reason: str, key: str) -> None:
        if self._once.due(f"{_TOPIC} {key}"):
            self._node.get_logger().warning(f"{_TOPIC} refused: {reason}")
