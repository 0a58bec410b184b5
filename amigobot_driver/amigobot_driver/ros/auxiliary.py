"""The auxiliary serial ports: topics for continuous streams, services for single requests and replies."""

from __future__ import annotations

from functools import partial

from rclpy.node import Node
from rclpy.publisher import Publisher

from amigobot_msgs.msg import AuxData
from amigobot_msgs.srv import AuxRead, AuxWrite

from ..driver import Driver
from ..protocol import Aux, Command
from ..robot import AuxPort, Event, LinkChanged, Received, Report, Robot, WriteOutcome
from .log import LogThrottle
from .requests import await_result, call_with_result, fill_response, service_factory
from .telemetry import TelemetryPublisher

#: Queue depth in messages: a burst must not lose bytes of a serial line.
_DEPTH = 100
#: Ports that every robot has, and the port that only some firmware has.
_STANDARD, _OPTIONAL = (1, 2), 3


class AuxInterface:
    """Serves auxN/tx, auxN/rx, aux_write and aux_read.

    The driver requests bytes of a port only while auxN/rx has a subscriber or aux_read waits.
    """

    events = (Received, Report, LinkChanged)

    def __init__(self, node: Node, driver: Driver, telemetry: TelemetryPublisher, throttle: LogThrottle) -> None:
        self._node = node
        self._driver = driver
        self._telemetry = telemetry
        self._throttle = throttle
        self._rx: dict[int, Publisher] = {}
        self._subscribed: dict[int, bool] = {}
        for number in _STANDARD:
            self._create_topics(number)
        create_service = service_factory(node)
        create_service(AuxWrite, "aux_write", self._write)
        create_service(AuxRead, "aux_read", self._read)

    def on_event(self, event: Event) -> None:
        """Publish received bytes; at each SIP check for subscribers."""
        if isinstance(event, Received) and isinstance(event.packet, Aux):
            if publisher := self._rx.get(event.packet.port):
                header = self._telemetry.header(event.stamp)
                publisher.publish(AuxData(header=header, data=event.packet.data))
        elif isinstance(event, Report):
            self._check_subscribers()
        elif isinstance(event, LinkChanged) and _OPTIONAL not in self._rx:
            with self._driver.robot() as robot:
                available = not robot.unsupported(Command.GETAUX3)
            if available:
                self._create_topics(_OPTIONAL)

    def _create_topics(self, number: int) -> None:
        self._node.create_subscription(AuxData, f"aux{number}/tx", partial(self._send, number), _DEPTH)
        self._subscribed[number] = False
        self._rx[number] = self._node.create_publisher(AuxData, f"aux{number}/rx", _DEPTH)

    def _check_subscribers(self) -> None:
        for number, publisher in self._rx.items():
            subscribed = publisher.get_subscription_count() > 0
            if subscribed != self._subscribed[number]:
                self._subscribed[number] = subscribed
                with self._driver.robot() as robot:
                    reader = robot.aux[number - 1].reader
                    reader.listen(subscribed)
                    obstacle = reader.obstacle
                if subscribed and obstacle:
                    self._node.get_logger().warning(f"aux{number}/rx: {obstacle}")

    def _send(self, number: int, message: AuxData) -> None:
        with self._driver.robot() as robot:
            pending = robot.aux[number - 1].writer.write(bytes(message.data))
        call_with_result(self._node, pending, partial(self._log_failure, number))

    def _log_failure(self, number: int, outcome: WriteOutcome) -> None:
        """Log why bytes were dropped: a topic has no response. The diagnostics count the bytes."""
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
