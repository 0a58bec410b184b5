"""The digital and analog ports: the topic `io` and the services that set outputs and select an input."""

from __future__ import annotations

import math

from rclpy.node import Node

from amigobot_msgs.msg import IoState
from amigobot_msgs.srv import SelectAnalogInput, SetDigitalOutputs

from ..driver import Driver
from ..profiles import Inputs
from ..protocol import Io
from ..robot import Event, Identified, Received, Report
from ..robot.devices.digital_io import SIP_VOLTS
from .parameters import NodeParameters
from .requests import await_result, fill_response, service_factory
from .telemetry import TelemetryPublisher

#: Seconds after which the values of an IO packet are no longer published.
_STALE = 1.0


class IoInterface:
    """Publishes `io`; serves `set_digital_outputs` and `select_analog_input`."""

    events = (Received, Identified, Report)

    def __init__(self, node: Node, driver: Driver, parameters: NodeParameters, telemetry: TelemetryPublisher) -> None:
        self._node = node
        self._driver = driver
        self._parameters = parameters
        self._telemetry = telemetry
        self._io = node.create_publisher(IoState, "io", 10)
        self._packet: Io | None = None
        self._packet_stamp = -math.inf
        self._volts_per_count = Inputs().volts_per_count
        create_service = service_factory(node)
        create_service(SetDigitalOutputs, "set_digital_outputs", self._set_outputs)
        create_service(SelectAnalogInput, "select_analog_input", self._select)

    def on_event(self, event: Event) -> None:
        """Publish the ports at each SIP, completed from the last IO packet."""
        if isinstance(event, Received) and isinstance(event.packet, Io):
            self._packet, self._packet_stamp = event.packet, event.stamp
        elif isinstance(event, Identified):
            self._volts_per_count = event.profile.inputs.volts_per_count
        elif isinstance(event, Report):
            fresh = event.stamp - self._packet_stamp < _STALE
            self._publish(event, self._packet if fresh else None)

    def _publish(self, report: Report, packet: Io | None) -> None:
        ports = report.ports
        inputs = packet.digital_in if packet else ()
        if ports.digital_in is None and not inputs:
            # The packets of this firmware have no port values.
            return
        scale = float(self._parameters["analog_volts_per_count"]) or self._volts_per_count
        message = IoState(header=self._telemetry.header(report.stamp))
        message.digital_inputs = inputs[0] if ports.digital_in is None else ports.digital_in
        outputs = packet.digital_out if packet else ()
        message.digital_outputs = next(iter(outputs), 0) if ports.digital_out is None else ports.digital_out
        message.more_digital_inputs = list(inputs[1:])
        message.analog = [count * scale for count in packet.analog] if packet else []
        message.selected_port = ports.selected
        message.selected_analog = math.nan if ports.analog is None else ports.analog * SIP_VOLTS
        self._io.publish(message)

    async def _set_outputs(
        self, request: SetDigitalOutputs.Request, response: SetDigitalOutputs.Response
    ) -> SetDigitalOutputs.Response:
        with self._driver.robot() as robot:
            pending = robot.digital_outputs.set(request.mask, request.states, self._driver.clock())
        outcome = await await_result(self._node, pending)
        with self._driver.robot() as robot:
            response.outputs = robot.digital_outputs.reported or 0
        return fill_response(response, outcome)

    async def _select(
        self, request: SelectAnalogInput.Request, response: SelectAnalogInput.Response
    ) -> SelectAnalogInput.Response:
        with self._driver.robot() as robot:
            pending = robot.analog_input.select(request.port, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))
