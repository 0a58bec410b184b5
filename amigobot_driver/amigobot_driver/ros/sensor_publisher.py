# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sensors that only some robots have: encoders, gyro, motor currents, floor, bumpers, compass, joystick, gripper."""

from __future__ import annotations

import math
from typing import Any

from sensor_msgs.msg import Imu, Joy, Range
from std_msgs.msg import Header

from amigobot_msgs.msg import Compass, GripperState

from ..profiles import Profile
from ..robot import (
    BumperReading,
    CompassReading,
    EncoderReading,
    FloorReading,
    GripperReading,
    Identified,
    JoystickReading,
    MotorCurrents,
    TurnRate,
)
from . import topics
from .conversions import message_of
from .interface import Interface, NodeContext

_FLOOR_BEAM = math.radians(10)  #: rad, beam width of a floor sensor; no manual states it
_IMU_FRAME = "imu_link"  #: as in the URDF
_UNMEASURED = 1e6  #: (rad/s)^2, variance of the two axes that the gyro does not measure


class SensorPublisher(Interface):
    """Publishes these sensors. `TelemetryPublisher` publishes the pose that follows from ENCODER packets."""

    def __init__(self, context: NodeContext, profile: Profile) -> None:
        super().__init__(context)
        self.handlers = {
            EncoderReading: self.publishing(topics.ENCODERS),
            TurnRate: self.publishing(topics.IMU, _imu, context.prefixed(_IMU_FRAME)),
            MotorCurrents: self.publishing(topics.CURRENTS),
            BumperReading: self.publishing(topics.BUMPERS),
            CompassReading: self.publishing(topics.COMPASS, _compass),
            JoystickReading: self.publishing(topics.JOY, _joystick),
            GripperReading: self.publishing(topics.GRIPPER, _gripper),
            FloorReading: self._on_floors,
            Identified: lambda event: self._use_profile(event.profile),
        }
        self._floors: list[tuple[topics.TopicPublisher, Range]] = []
        self._use_profile(profile)

    def _on_floors(self, event: FloorReading) -> None:
        """Publish binary range sensors as sensor_msgs/Range defines them: -inf is a floor, +inf is no floor."""
        stamp = self._context.ros_time(event.stamp)
        for (publisher, message), floor in zip(self._floors, event.floors, strict=False):
            message.header.stamp = stamp
            message.range = -math.inf if floor else math.inf
            publisher.publish(message)

    def _use_profile(self, profile: Profile) -> None:
        """Create publishers for further floor sensors of the profile, and set the range of all."""
        for number in range(len(self._floors), len(profile.floor.poses)):
            message = Range(radiation_type=Range.INFRARED, field_of_view=_FLOOR_BEAM)
            message.header.frame_id = self._context.prefixed(f"floor_{number}_link")  # as in the URDF
            self._floors.append((topics.FLOOR.publisher(self._node, number), message))
        for _, message in self._floors:
            message.min_range = message.max_range = profile.floor.height


def _imu(turn: TurnRate, header: Header) -> Imu:
    """Convert a turn rate about z. A covariance of -1 means "not measured" (REP 145)."""
    message = Imu(header=header)
    message.angular_velocity.z = turn.rate
    covariance = message.angular_velocity_covariance
    covariance[0], covariance[4], covariance[8] = _UNMEASURED, _UNMEASURED, turn.variance
    message.orientation_covariance[0] = message.linear_acceleration_covariance[0] = -1.0
    return message


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
