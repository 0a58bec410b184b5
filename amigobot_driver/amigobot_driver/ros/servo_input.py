# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Servos as joints: the topic `servo_commands`."""

from __future__ import annotations

from sensor_msgs.msg import JointState

from ..robot import Identified, RequestRefusedError
from ..wording import counted
from . import topics
from .interface import Interface, NodeContext


class ServoInput(Interface):
    """Subscribes to servo_commands of a robot with servos: positions in rad, by the joint names of the profile."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {Identified: self._on_identified}
        self._subscribed = False

    def _on_identified(self, event: Identified) -> None:
        if event.profile.servos.joints and not self._subscribed:
            self._subscribed = True
            topics.SERVOS.subscribe(self._node, self._on_command)

    def _on_command(self, message: JointState) -> None:
        if len(message.name) != len(message.position):
            names, positions = counted(len(message.name), "name"), counted(len(message.position), "position")
            self._refuse(f"{names} and {positions}: expected equal numbers of both")
            return
        driver, refused = self._context.driver, []
        with driver.robot() as robot:
            for joint, angle in zip(message.name, message.position, strict=True):
                try:
                    robot.servos.turn(joint, angle, driver.clock())
                except RequestRefusedError as reason:
                    refused.append(str(reason))
        # Without the lock: a terminal that blocks must not delay the threads of the driver.
        for text in refused:
            self._refuse(text)

    def _refuse(self, reason: str) -> None:
        self._context.warn(topics.SERVOS.name, f"refused: {reason}")
