# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Packets that a robot streams besides its SIPs: encoders, gyro, motor currents and floor sensors."""

from __future__ import annotations

import math

from sensor_msgs.msg import Range
from std_msgs.msg import Header

from amigobot_msgs.msg import Encoders, MotorCurrents

from ..profiles import Profile
from ..robot import EncoderReading, FloorReading, Identified, TurnRate
from ..robot import MotorCurrents as Currents
from . import conversions, topics
from .interface import Interface, NodeContext

#: Beam width of the floor sensors in rad. No manual states it.
_BEAM = math.radians(10)


class StreamPublisher(Interface):
    """Publishes streamed packets. `TelemetryPublisher` publishes the pose that follows from ENCODER packets."""

    def __init__(self, context: NodeContext, profile: Profile) -> None:
        super().__init__(context)
        self.handlers = {
            EncoderReading: self.publishing(topics.ENCODERS, _encoders),
            TurnRate: self._on_turn_rate,
            Currents: self._on_currents,
            FloorReading: self._on_floors,
            Identified: lambda event: self._use_profile(event.profile),
        }
        self._imu: topics.TopicPublisher | None = None  #: None: no gyro has been read yet
        self._imu_message = conversions.imu_message(context.prefixed(conversions.IMU_FRAME))
        self._currents: topics.TopicPublisher | None = None  #: None: the profile has no motor currents
        self._floors: list[tuple[topics.TopicPublisher, Range]] = []
        self._use_profile(profile)

    def _on_turn_rate(self, event: TurnRate) -> None:
        self._imu = self._imu or topics.IMU.publisher(self._node)
        if self._imu.subscribed(event.stamp):
            conversions.fill_imu(self._imu_message, event, self._context.ros_time(event.stamp))
            self._imu.publish(self._imu_message)

    def _on_currents(self, event: Currents) -> None:
        if self._currents and self._currents.subscribed(event.stamp):
            header = self._context.header(event.stamp)
            self._currents.publish(MotorCurrents(header=header, left=event.left, right=event.right))

    def _on_floors(self, event: FloorReading) -> None:
        """Publish binary range sensors as sensor_msgs/Range defines them: -inf is a floor, +inf is no floor."""
        stamp = self._context.ros_time(event.stamp)
        for (publisher, message), floor in zip(self._floors, event.floors, strict=False):
            message.header.stamp = stamp
            message.range = -math.inf if floor else math.inf
            publisher.publish(message)

    def _use_profile(self, profile: Profile) -> None:
        """Create the publishers of the sensors that a profile has; only fresh robots have another profile."""
        if profile.inputs.amps_per_count and self._currents is None:
            self._currents = topics.CURRENTS.publisher(self._node)
        for number in range(len(self._floors), len(profile.floor.poses)):
            message = Range(radiation_type=Range.INFRARED, field_of_view=_BEAM)
            message.header.frame_id = self._context.prefixed(conversions.floor_frame(number))
            self._floors.append((topics.FLOOR.publisher(self._node, number), message))
        for _, message in self._floors:
            message.min_range = message.max_range = profile.floor.height


def _encoders(reading: EncoderReading, header: Header) -> Encoders:
    return Encoders(header=header, left=reading.left, right=reading.right)
