# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The digital and analog ports: the topic `io` and the services that set outputs and select an input."""

from __future__ import annotations

import math

from amigobot_msgs.msg import IoState
from amigobot_msgs.srv import SelectAnalogInput, SetDigitalOutputs

from ..robot import Report, Robot
from . import topics
from .conversions import message_of
from .interface import Answer, Interface, NodeContext, fill_response, robot_service, service


class IoInterface(Interface):
    """Publishes `io`; serves the outputs and the selection of an input."""

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {Report: self._on_report}
        self._io = topics.IO.publisher(self._node)

    def _on_report(self, report: Report) -> None:
        """Publish the ports at each SIP, unless the packets of this firmware have none."""
        ports = report.ports
        if ports.digital_inputs is None or not self._io.subscribed(report.stamp):
            return
        header, outputs = self._context.header(report.stamp), ports.digital_outputs or 0
        selected = math.nan if ports.selected_analog is None else ports.selected_analog
        self._io.publish(message_of(IoState, ports, header=header, digital_outputs=outputs, selected_analog=selected))

    @service(SetDigitalOutputs, "set_digital_outputs")
    async def _set_outputs(
        self, request: SetDigitalOutputs.Request, response: SetDigitalOutputs.Response
    ) -> SetDigitalOutputs.Response:
        outcome = await self.outcome(lambda robot, now: robot.digital_outputs.set(request.mask, request.states, now))
        response.outputs = self._context.call(lambda robot, now: robot.digital_outputs.reported or 0)
        return fill_response(response, outcome)

    @robot_service(SelectAnalogInput, "select_analog_input")
    def _select(self, robot: Robot, request: SelectAnalogInput.Request, now: float) -> Answer:
        return robot.analog_input.select(request.port, now)
