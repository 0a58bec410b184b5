# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The digital and analog ports: the topic `io` and the services that set outputs and select an input."""

from __future__ import annotations

import math

from amigobot_msgs.msg import IoState
from amigobot_msgs.srv import SelectAnalogInput, SetDigitalOutputs

from ..profiles import Inputs
from ..protocol import Io
from ..robot import SIP_VOLTS, Identified, Received, Report, Robot
from . import topics
from .interface import Answer, Interface, NodeContext, fill_response, robot_service, service

#: Seconds after which the values of an IO packet are no longer published.
_STALE = 1.0


class IoInterface(Interface):
    """Publishes `io`; serves the outputs and the selection of an input."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {Received: self._on_packet, Identified: self._on_identified, Report: self._on_report}
        self._io = topics.IO.publisher(self._node)
        self._packet: Io | None = None
        self._packet_stamp = -math.inf
        self._volts_per_count = Inputs().volts_per_count

    def _on_packet(self, event: Received) -> None:
        if isinstance(event.packet, Io):
            self._packet, self._packet_stamp = event.packet, event.stamp

    def _on_identified(self, event: Identified) -> None:
        self._volts_per_count = event.profile.inputs.volts_per_count

    def _on_report(self, report: Report) -> None:
        """Publish the ports at each SIP, completed from the last IO packet."""
        if not self._io.subscribed(report.stamp):
            return
        packet = self._packet if report.stamp - self._packet_stamp < _STALE else None
        ports = report.ports
        inputs = packet.digital_in if packet else ()
        if ports.digital_in is None and not inputs:
            # The packets of this firmware have no port values.
            return
        scale = float(self._context.parameters["analog_volts_per_count"]) or self._volts_per_count
        outputs = packet.digital_out if packet else ()
        self._io.publish(
            IoState(
                header=self._context.header(report.stamp),
                digital_inputs=inputs[0] if ports.digital_in is None else ports.digital_in,
                digital_outputs=next(iter(outputs), 0) if ports.digital_out is None else ports.digital_out,
                more_digital_inputs=list(inputs[1:]),
                analog=[count * scale for count in packet.analog] if packet else [],
                selected_port=ports.selected,
                selected_analog=math.nan if ports.analog is None else ports.analog * SIP_VOLTS,
            )
        )

    @service(SetDigitalOutputs, "set_digital_outputs", "switches the pins of `mask`; the others stay")
    async def _set_outputs(
        self, request: SetDigitalOutputs.Request, response: SetDigitalOutputs.Response
    ) -> SetDigitalOutputs.Response:
        outcome = await self.outcome(lambda robot, now: robot.digital_outputs.set(request.mask, request.states, now))
        response.outputs = self._context.snapshot().digital_outputs or 0
        return fill_response(response, outcome)

    @robot_service(SelectAnalogInput, "select_analog_input", "chooses the analog port that each SIP reports")
    def _select(self, robot: Robot, request: SelectAnalogInput.Request, now: float) -> Answer:
        return robot.analog_input.select(request.port, now)
