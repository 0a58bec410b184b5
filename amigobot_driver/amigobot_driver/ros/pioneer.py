# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Devices of a Pioneer: bumpers, compass, joystick, gripper and charger; and the reset of the controller."""

from __future__ import annotations

import math
from typing import Any

from sensor_msgs.msg import Joy
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from amigobot_msgs.msg import Compass, GripperState
from amigobot_msgs.srv import Gripper, ResetRobot

from ..robot import BumperReading, CompassReading, GripperReading, JoystickReading, RequestRefusedError, Robot
from . import topics
from .conversions import message_of
from .interface import Answer, Interface, NodeContext, robot_service


class PioneerInterface(Interface):
    """Publishes and serves what only Pioneers have."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {
            BumperReading: self.publishing(topics.BUMPERS),
            CompassReading: self.publishing(topics.COMPASS, _compass),
            JoystickReading: self.publishing(topics.JOY, _joystick),
            GripperReading: self.publishing(topics.GRIPPER, _gripper),
        }

    @robot_service(Gripper, "gripper")
    def _order(self, robot: Robot, request: Gripper.Request, now: float) -> Answer:
        return robot.gripper.order(request.order, request.duration, now)

    @robot_service(SetBool, "deploy_charger")
    def _deploy_charger(self, robot: Robot, request: SetBool.Request, now: float) -> Answer:
        return robot.charger.deploy(request.data, now)

    @robot_service(ResetRobot, "reset_robot")
    def _reset(self, robot: Robot, request: ResetRobot.Request, now: float) -> Answer:
        if not request.confirm:
            raise RequestRefusedError("not reset: confirm is false; a reset disconnects the robot for some seconds")
        return robot.reset(now)


def _joystick(reading: JoystickReading, header: Header) -> Joy:
    return Joy(header=header, axes=reading.axes, buttons=list(map(int, reading.buttons)))


def _compass(reading: CompassReading, header: Header) -> Any:
    """Convert: `heading` is clockwise from north, `yaw` counter-clockwise from east (REP 103)."""
    return message_of(
        Compass,
        reading,
        header=header,
        yaw=math.remainder(math.pi / 2 - reading.heading, math.tau),
        magnetic_field=reading.field,
        temperature=reading.celsius,
    )


def _gripper(state: GripperReading, header: Header) -> Any:
    time = math.nan if state.grasp_time is None else state.grasp_time
    positions = {"paddles": state.paddles.value, "lift": state.lift.value}
    return message_of(GripperState, state, header=header, grasp_time=time, **positions)
