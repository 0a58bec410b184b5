# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports: topics for continuous streams, services for single requests and replies."""

from __future__ import annotations

from amigobot_msgs.msg import AuxData
from amigobot_msgs.srv import AuxRead, AuxWrite

from ..protocol import Aux
from ..robot import LinkChanged, Received, Report, Robot
from . import topics
from .interface import Answer, Interface, NodeContext, robot_service

_STANDARD = (1, 2)  # ports that every robot has
_OPTIONAL = 3  # the port that only some firmware has


class AuxInterface(Interface):
    """Serves auxN/tx, auxN/rx, aux_write and aux_read.

    The driver requests bytes of a port only while auxN/rx has a subscriber or aux_read waits.
    """

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {Received: self._on_packet, Report: self._check_subscribers, LinkChanged: self._on_link}
        self._rx: dict[int, topics.TopicPublisher] = {}
        self._listening: set[int] = set()  #: ports whose rx topic has a subscriber
        for number in _STANDARD:
            self._create_topics(number)

    def _on_packet(self, event: Received) -> None:
        if isinstance(event.packet, Aux) and (publisher := self._rx.get(event.packet.port)):
            publisher.publish(AuxData(header=self._context.header(event.stamp), data=event.packet.data))

    def _on_link(self, event: LinkChanged) -> None:
        if _OPTIONAL not in self._rx and not self._problem(_OPTIONAL):
            self._create_topics(_OPTIONAL)

    def _create_topics(self, number: int) -> None:
        topics.AUX_TX.subscribe(self._node, self._send, number)
        self._rx[number] = topics.AUX_RX.publisher(self._node, number)

    def _problem(self, number: int) -> str:
        return self._context.call(lambda robot, now: robot.aux_port(number).problem)

    def _check_subscribers(self, report: Report) -> None:
        for number, publisher in self._rx.items():
            subscribed = publisher.subscribed(report.stamp)
            if subscribed != (number in self._listening):
                self._listening ^= {number}
                with self._context.driver.robot() as robot:
                    robot.aux_port(number).listen(subscribed, self._context.driver.clock())
                if subscribed and (problem := self._problem(number)):
                    self._node.get_logger().warning(f"aux{number}/rx: {problem}")

    def _send(self, number: int, message: AuxData) -> None:
        pending = self._context.call(lambda robot, now: robot.aux_port(number).write(bytes(message.data)))
        self._context.warn_if_failed(pending, f"aux{number}/tx dropped:", key="dropped")

    @robot_service(AuxWrite, "aux_write", written="count")
    def _write(self, robot: Robot, request: AuxWrite.Request, now: float) -> Answer:
        return robot.aux_port(request.port).write(bytes(request.data))

    @robot_service(AuxRead, "aux_read", data="data")
    def _read(self, robot: Robot, request: AuxRead.Request, now: float) -> Answer:
        port = robot.aux_port(request.port)
        return port.read(request.count, request.timeout, now, flush=request.flush)
