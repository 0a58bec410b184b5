"""The auxiliary serial ports: topics that keep a stream flowing both ways, and services for question and answer."""

from __future__ import annotations

from functools import partial

from rclpy.node import Node
from rclpy.publisher import Publisher

from amigobot_msgs.msg import AuxData
from amigobot_msgs.srv import AuxRead, AuxWrite

from ..driver import Driver
from ..protocol import Aux, Command
from ..robot import AuxPort, Event, LinkChanged, Received, Report, Robot, Written
from .log import LogThrottle
from .requests import await_result, call_with_result, fill_response, service_factory
from .telemetry import TelemetryPublisher

#: Messages: bytes of a serial line must not be lost in a burst.
_DEPTH = 100
#: What every robot of the family has; the third is offered when the firmware knows it.
_USUAL, _THIRD = (1, 2), 3


class AuxInterface:
    """auxN/tx, auxN/rx, aux_write, aux_read. A port is asked for bytes only while somebody hears or reads it."""

    events = (Received, Report, LinkChanged)

    def __init__(self, node: Node, driver: Driver, telemetry: TelemetryPublisher, throttle: LogThrottle) -> None:
        self._node = node
        self._driver = driver
        self._telemetry = telemetry
        self._throttle = throttle
        self._rx: dict[int, Publisher] = {}
        self._heard: dict[int, bool] = {}
        for number in _USUAL:
            self._offer(number)
        create_service = service_factory(node)
        create_service(AuxWrite, "aux_write", self._write)
        create_service(AuxRead, "aux_read", self._read)

    def on_event(self, event: Event) -> None:
        """Publish what has come; with each SIP see who listens."""
        if isinstance(event, Received) and isinstance(event.packet, Aux):
            if publisher := self._rx.get(event.packet.port):
                header = self._telemetry.header(event.stamp)
                publisher.publish(AuxData(header=header, data=event.packet.data))
        elif isinstance(event, Report):
            self._see_who_listens()
        elif isinstance(event, LinkChanged) and _THIRD not in self._rx:
            with self._driver.robot() as robot:
                there = not robot.unsupported(Command.GETAUX3)
            if there:
                self._offer(_THIRD)

    def _offer(self, number: int) -> None:
        self._node.create_subscription(AuxData, f"aux{number}/tx", partial(self._send, number), _DEPTH)
        self._heard[number] = False
        self._rx[number] = self._node.create_publisher(AuxData, f"aux{number}/rx", _DEPTH)

    def _see_who_listens(self) -> None:
        for number, publisher in self._rx.items():
            heard = publisher.get_subscription_count() > 0
            if heard != self._heard[number]:
                self._heard[number] = heard
                with self._driver.robot() as robot:
                    reader = robot.aux[number - 1].reader
                    reader.listen(heard)
                    obstacle = reader.obstacle
                if heard and obstacle:
                    self._node.get_logger().warning(f"aux{number}/rx: {obstacle}")

    def _send(self, number: int, message: AuxData) -> None:
        with self._driver.robot() as robot:
            pending = robot.aux[number - 1].writer.write(bytes(message.data))
        call_with_result(self._node, pending, partial(self._explain, number))

    def _explain(self, number: int, outcome: Written) -> None:
        """A topic has no answer; the bytes that were dropped are counted in the diagnostics."""
        if not outcome.success and self._throttle.due(f"aux{number}/tx"):
            self._node.get_logger().warning(f"aux{number}/tx dropped: {outcome.message}")

    async def _write(self, request: AuxWrite.Request, response: AuxWrite.Response) -> AuxWrite.Response:
        with self._driver.robot() as robot:
            port = _port(robot, request.port)
            pending = port.writer.write(bytes(request.data)) if port else None
        if pending is None:
            response.message = _no_port(request.port)
            return response
        outcome = await await_result(self._node, pending)
        response.written = outcome.count
        return fill_response(response, outcome)

    async def _read(self, request: AuxRead.Request, response: AuxRead.Response) -> AuxRead.Response:
        with self._driver.robot() as robot:
            port, now = _port(robot, request.port), self._driver.clock()
            pending = port.reader.read(request.count, request.timeout, now, flush=request.flush) if port else None
        if pending is None:
            response.message = _no_port(request.port)
            return response
        outcome = await await_result(self._node, pending)
        response.data = outcome.data
        return fill_response(response, outcome)


def _port(robot: Robot, number: int) -> AuxPort | None:
    return next((port for port in robot.aux if port.number == number), None)


def _no_port(number: int) -> str:
    return f"port is {number}, 1 to 3 are allowed"
