"""Packets that the robot streams besides its SIPs: `encoders` and `imu`."""

from __future__ import annotations

from rclpy.node import Node
from sensor_msgs.msg import Imu

from amigobot_msgs.msg import Encoders

from ..robot import EncoderReading, Event, TurnRate
from . import conversions
from .telemetry import TelemetryPublisher

_DEPTH = 10


class StreamPublisher:
    """Publishes each ENCODER and GYRO packet. `TelemetryPublisher` publishes the pose that follows from them."""

    events = (EncoderReading, TurnRate)

    def __init__(self, node: Node, telemetry: TelemetryPublisher) -> None:
        self._telemetry = telemetry
        self._encoders = node.create_publisher(Encoders, "encoders", _DEPTH)
        self._imu = node.create_publisher(Imu, "imu", _DEPTH)

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, EncoderReading):
            self._encoders.publish(
                Encoders(header=self._telemetry.header(event.stamp), left=event.left, right=event.right)
            )
        elif isinstance(event, TurnRate):
            self._imu.publish(conversions.imu(event, self._telemetry.header(event.stamp)))
