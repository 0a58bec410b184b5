# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Devices that only some robots have: gripper, charger, servos."""

from __future__ import annotations

from ..robot import GripperReading
from .arguments import number
from .connection import Connection


class Devices(Connection):
    """Gripper, charger and servos."""

    def gripper(self, order: str, duration: float = 0.0) -> str:
        """Give the gripper of a Pioneer an order, and wait until its switches show that it obeys.

        Args:
            order: open, close, stop, up, down, stop_lift, store, deploy, halt, press or carry.
            duration: Seconds, for press (0.02 to 5.1) and carry (-5.1 to 5.1) only.

        Returns:
            What the robot reported.

        Raises:
            RequestRefusedError: There is no such order, or the robot has no gripper.
            RequestFailedError: The gripper does not obey.
            ConnectionLostError: The robot is not connected.
        """
        duration = number("duration", duration)
        return self._request(lambda robot, now: robot.gripper.order(order, duration, now)).message

    @property
    def gripper_state(self) -> GripperReading | None:
        """Where paddles and lift are, and what they touch; None where the robot has no gripper.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, _):
            return robot.gripper.newest

    def deploy_charger(self, deployed: bool = True) -> str:
        """Deploy the charging mechanism of a Pioneer in front of its dock, or retract it.

        Args:
            deployed: False retracts.

        Returns:
            What the robot reported.

        Raises:
            RequestRefusedError: The robot has no such mechanism.
            RequestFailedError: The robot does not charge, or goes on charging.
            ConnectionLostError: The robot is not connected.
        """
        return self._request(lambda robot, now: robot.charger.deploy(bool(deployed), now)).message

    def set_servo(self, joint: str, angle: float) -> None:
        """Turn a servo (Erratic). No packet reports its position.

        Args:
            joint: Name in the profile, for example "pan_joint"; `robot.profile.servos.joints` has them.
            angle: rad.

        Raises:
            RequestRefusedError: The robot has no such joint, or the servo does not reach the angle.
            ConnectionLostError: The robot is not connected.
        """
        angle = number("angle", angle)
        with self._locked() as (robot, now):
            robot.servos.turn(joint, angle, now)
