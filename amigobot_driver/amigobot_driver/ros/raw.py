"""Raw access to the protocol: the service `send_command` and the topic `packets`, both off by default."""

from __future__ import annotations

from rclpy.node import Node

from amigobot_msgs.msg import Packet
from amigobot_msgs.srv import SendCommand

from ..driver import Driver
from ..robot import Event, FrameSeen, Outcome, Refused
from .parameters import NodeParameters
from .requests import fill_response
from .telemetry import TelemetryPublisher

#: Deep queue: a recording with missing frames is misleading.
_DEPTH = 100
#: Maximum of Packet.sequence.
_LAST_NUMBER = 2**32 - 1


class RawAccess:
    """Serves send_command and publishes packets."""

    events = (FrameSeen,)

    def __init__(self, node: Node, driver: Driver, parameters: NodeParameters, telemetry: TelemetryPublisher) -> None:
        self._driver = driver
        self._parameters = parameters
        self._telemetry = telemetry
        self._packets = node.create_publisher(Packet, "packets", _DEPTH)
        self._published = 0
        node.create_service(SendCommand, "send_command", self._send)

    def on_event(self, event: Event) -> None:
        """Publish a frame; the core reports frames only if publish_packets is set."""
        if not isinstance(event, FrameSeen):
            return
        self._published = self._published % _LAST_NUMBER + 1
        self._packets.publish(
            Packet(
                header=self._telemetry.header(event.stamp),
                to_robot=event.to_robot,
                id=event.data[0],
                name=event.name,
                data=list(event.data),
                sequence=self._published,
            )
        )

    def _send(self, request: SendCommand.Request, response: SendCommand.Response) -> SendCommand.Response:
        if not self._parameters["allow_raw_commands"]:
            complaint = "raw commands are not allowed: set the parameter allow_raw_commands to true"
            return fill_response(response, Outcome(False, complaint))
        try:
            with self._driver.robot() as robot:
                outcome = robot.send_raw(request.number, list(request.argument), bytes(request.text))
        except Refused as reason:
            outcome = Outcome(False, str(reason))
        return fill_response(response, outcome)
