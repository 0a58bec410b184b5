# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Packets that a robot streams besides its SIPs: encoders, gyro, motor currents and floor sensors."""

from __future__ import annotations

import math

from sensor_msgs.msg import Imu, Range
from std_msgs.msg import Header

from ..profiles import Profile
from ..robot import EncoderReading, FloorReading, Identified, MotorCurrents, TurnRate
from . import topics
from .interface import Interface, NodeContext

#: Beam width of the floor sensors in rad. No manual states it.
_BEAM = math.radians(10)
#: Frame of the gyro, as in the URDF.
_IMU_FRAME = "imu_link"
#: Variance of the two axes that the gyro does not measure, (rad/s)^2.
_UNKNOWN = 1e6


class StreamPublisher(Interface):
    """Publishes streamed packets. `TelemetryPublisher` publishes the pose that follows from ENCODER packets."""

    def __init__(self, context: NodeContext, profile: Profile) -> None:
        super().__init__(context)
        self.handlers = {
            EncoderReading: self.publishing(topics.ENCODERS),
            TurnRate: self.publishing(topics.IMU, _imu, context.prefixed(_IMU_FRAME)),
            MotorCurrents: self.publishing(topics.CURRENTS),
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
        """Create the publishers of the floor sensors; only fresh robots have another profile."""
        for number in range(len(self._floors), len(profile.floor.poses)):
            message = Range(radiation_type=Range.INFRARED, field_of_view=_BEAM)
            message.header.frame_id = self._context.prefixed(f"floor_{number}_link")  # as in the URDF
            self._floors.append((topics.FLOOR.publisher(self._node, number), message))
        for _, message in self._floors:
            message.min_range = message.max_range = profile.floor.height


def _imu(turn: TurnRate, header: Header) -> Imu:
    """Convert a turn rate about z. A covariance of -1 means "not measured" (REP 145)."""
    message = Imu(header=header)
    message.angular_velocity.z = turn.rate
    covariance = message.angular_velocity_covariance
    covariance[0], covariance[4], covariance[8] = _UNKNOWN, _UNKNOWN, turn.variance
    message.orientation_covariance[0] = message.linear_acceleration_covariance[0] = -1.0
    return message
