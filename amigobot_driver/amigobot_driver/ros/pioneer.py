# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Devices of a Pioneer: bumpers, compass, joystick, gripper and charger; and the reset of the controller."""

from __future__ import annotations

import math

from sensor_msgs.msg import Joy
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from amigobot_msgs.msg import Bumpers, Compass, GripperState
from amigobot_msgs.srv import Gripper, ResetRobot

from ..robot import BumperReading, CompassReading, GripperReading, JoystickReading, RequestRefusedError, Robot
from . import topics
from .interface import Answer, Interface, NodeContext, robot_service


class PioneerInterface(Interface):
    """Publishes and serves what only Pioneers have."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {
            BumperReading: self.publishing(topics.BUMPERS, _bumpers),
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


def _bumpers(reading: BumperReading, header: Header) -> Bumpers:
    return Bumpers(header=header, front=reading.front, rear=reading.rear)


def _joystick(reading: JoystickReading, header: Header) -> Joy:
    return Joy(header=header, axes=reading.axes, buttons=list(map(int, reading.buttons)))


def _compass(reading: CompassReading, header: Header) -> Compass:
    """Convert: `heading` is clockwise from north, `yaw` counter-clockwise from east (REP 103)."""
    return Compass(
        header=header,
        heading=reading.heading,
        yaw=math.remainder(math.pi / 2 - reading.heading, math.tau),
        resolution=reading.resolution,
        pitch=reading.pitch,
        roll=reading.roll,
        magnetic_field=reading.field,
        temperature=reading.celsius,
        error=reading.error,
    )


def _gripper(state: GripperReading, header: Header) -> GripperState:
    return GripperState(
        header=header,
        paddles=state.paddles.value,
        paddles_moving=state.paddles_moving,
        lift=state.lift.value,
        lift_moving=state.lift_moving,
        inner_beam=state.inner_beam,
        outer_beam=state.outer_beam,
        left_contact=state.left_contact,
        right_contact=state.right_contact,
        kind=state.kind,
        state=state.state,
        switches=state.switches,
        grasp_time=math.nan if state.grasp_time is None else state.grasp_time,
    )
