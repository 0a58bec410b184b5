"""Servos as joints: the topic `servo_commands`."""

from __future__ import annotations

from rclpy.node import Node
from sensor_msgs.msg import JointState

from ..driver import Driver
from ..robot import Refused
from ..wording import counted
from .log import LogThrottle


class ServoInput:
    """Subscribes to servo_commands: positions in rad, by the joint names of the profile."""

    def __init__(self, node: Node, driver: Driver, throttle: LogThrottle) -> None:
        self._node = node
        self._driver = driver
        self._throttle = throttle
        node.create_subscription(JointState, "servo_commands", self._on_command, 1)

    def _on_command(self, message: JointState) -> None:
        if len(message.name) != len(message.position):
            names, positions = counted(len(message.name), "name"), counted(len(message.position), "position")
            self._refuse(f"{names} and {positions}: equal numbers are required")
            return
        with self._driver.robot() as robot:
            for joint, angle in zip(message.name, message.position, strict=True):
                try:
                    robot.servos.turn(joint, angle, self._driver.clock())
                except Refused as reason:
                    self._refuse(str(reason))

    def _refuse(self, reason: str) -> None:
        if self._throttle.due(f"servo_commands {reason}"):
            self._node.get_logger().warning(f"servo_commands refused: {reason}")
