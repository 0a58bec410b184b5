# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Raw access to the protocol: the topic `packets`, and the service `send_command`, which is off by default."""

from __future__ import annotations

from amigobot_msgs.msg import Packet
from amigobot_msgs.srv import SendCommand

from ..robot import FrameSeen, RequestRefusedError, Robot
from . import topics
from .interface import Answer, Interface, NodeContext, robot_service

#: Maximum of Packet.sequence.
_LAST_NUMBER = 2**32 - 1


class RawAccess(Interface):
    """Serves send_command and publishes packets."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {FrameSeen: self._on_frame}
        self._packets = topics.PACKETS.publisher(self._node)
        self._published = 0

    @property
    def needed(self) -> bool:
        """Whether the core reports frames: for a subscriber, or because publish_packets is set."""
        return bool(self._context.parameters["publish_packets"]) or self._packets.count() > 0

    def _on_frame(self, event: FrameSeen) -> None:
        self._published = self._published % _LAST_NUMBER + 1
        self._packets.publish(
            Packet(
                header=self._context.header(event.stamp),
                to_robot=event.to_robot,
                id=event.data[0],
                name=event.name,
                data=list(event.data),
                sequence=self._published,
            )
        )

    @robot_service(SendCommand, "send_command")
    def _send(self, robot: Robot, request: SendCommand.Request, now: float) -> Answer:
        if not self._context.parameters["allow_raw_commands"]:
            raise RequestRefusedError("raw commands are not allowed: set the parameter allow_raw_commands to true")
        return robot.send_raw(request.number, list(request.argument), bytes(request.text))
