"""Sensors that only some robots have: `motor_currents`, and `floor/range_N` of downward-looking sensors."""

from __future__ import annotations

import math

from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Range
from std_msgs.msg import Header

from amigobot_msgs.msg import MotorCurrents

from ..robot import Event, FloorReading, Identified, Robot
from ..robot import MotorCurrents as Currents
from . import conversions
from .telemetry import TelemetryPublisher

_DEPTH = 10
#: Beam width of the floor sensors in rad. No manual states it.
_BEAM = math.radians(10)


class SensorPublisher:
    """Publishes motor currents and floor sensors, if the profile of the robot has them."""

    events = (Identified, Currents, FloorReading)

    def __init__(self, node: Node, robot: Robot, telemetry: TelemetryPublisher) -> None:
        self._node = node
        self._robot = robot
        self._telemetry = telemetry
        self._currents: Publisher | None = None
        self._floors: list[Publisher] = []
        self._create_publishers()

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, Identified):
            self._create_publishers()
        elif isinstance(event, Currents) and self._currents:
            header = self._telemetry.header(event.stamp)
            self._currents.publish(MotorCurrents(header=header, left=event.left, right=event.right))
        elif isinstance(event, FloorReading):
            self._publish_floors(event)

    def _publish_floors(self, event: FloorReading) -> None:
        """Publish binary range sensors as sensor_msgs/Range defines them: -inf is a floor, +inf is no floor."""
        height = self._robot.profile.floor.height
        stamp = self._telemetry.ros_time(event.stamp)
        for number, (publisher, floor) in enumerate(zip(self._floors, event.floors, strict=False)):
            publisher.publish(
                Range(
                    header=Header(stamp=stamp, frame_id=self._telemetry.prefixed(conversions.floor_frame(number))),
                    radiation_type=Range.INFRARED,
                    field_of_view=_BEAM,
                    min_range=height,
                    max_range=height,
                    range=-math.inf if floor else math.inf,
                )
            )

    def _create_publishers(self) -> None:
        profile = self._robot.profile
        if profile.inputs.amps_per_count and self._currents is None:
            self._currents = self._node.create_publisher(MotorCurrents, "motor_currents", _DEPTH)
        for number in range(len(self._floors), len(profile.floor.poses)):
            self._floors.append(self._node.create_publisher(Range, f"floor/range_{number}", _DEPTH))
