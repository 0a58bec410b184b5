"""The gripper of a Pioneer: the service `gripper` and the topic `gripper_state`."""

from __future__ import annotations

import math

from rclpy.node import Node
from std_msgs.msg import Header

from amigobot_msgs.msg import GripperState
from amigobot_msgs.srv import Gripper

from ..driver import Driver
from ..robot import Event, GripperReading
from .requests import await_result, fill_response, service_factory
from .telemetry import TelemetryPublisher


class GripperService:
    """Serves `gripper` and publishes `gripper_state`."""

    events = (GripperReading,)

    def __init__(self, node: Node, driver: Driver, telemetry: TelemetryPublisher) -> None:
        self._node = node
        self._driver = driver
        self._telemetry = telemetry
        self._publisher = node.create_publisher(GripperState, "gripper_state", 10)
        service_factory(node)(Gripper, "gripper", self._on_request)

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, GripperReading):
            self._publisher.publish(_message(event, self._telemetry.header(event.stamp)))

    async def _on_request(self, request: Gripper.Request, response: Gripper.Response) -> Gripper.Response:
        with self._driver.robot() as robot:
            pending = robot.gripper.order(request.order, request.duration, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))


def _message(state: GripperReading, header: Header) -> GripperState:
    return GripperState(
        header=header,
        paddles=state.paddles.value,
        paddles_moving=state.paddles_moving,
        lift=state.lift.value,
        lift_moving=state.lift_moving,
        inner_beam=state.inner_beam,
        outer_beam=state.outer_beam,
        left_contact=state.left_contact,
        right_contact=state.right_contact,
        kind=state.kind,
        state=state.state,
        switches=state.switches,
        grasp_time=math.nan if state.grasp_time is None else state.grasp_time,
    )
