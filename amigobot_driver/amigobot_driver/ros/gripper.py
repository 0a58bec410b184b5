"""The gripper of a Pioneer: the service `gripper` and the topic `gripper_state`."""

from __future__ import annotations

import math

from rclpy.node import Node
from std_msgs.msg import Header

from amigobot_msgs.msg import GripperState
from amigobot_msgs.srv import Gripper as GripperSrv

from ..driver import Driver
from ..robot import Event, GripperSeen
from .requests import await_result, fill_response, service_factory
from .telemetry import Telemetry


class Gripper:
    """gripper and gripper_state."""

    def __init__(self, node: Node, driver: Driver, telemetry: Telemetry) -> None:
        self._node = node
        self._driver = driver
        self._telemetry = telemetry
        self._publisher = node.create_publisher(GripperState, "gripper_state", 10)
        service_factory(node)(GripperSrv, "gripper", self._obey)

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, GripperSeen):
            self._publisher.publish(_message(event, self._telemetry.header(event.stamp)))

    async def _obey(self, request: GripperSrv.Request, response: GripperSrv.Response) -> GripperSrv.Response:
        with self._driver.robot() as robot:
            pending = robot.gripper.order(request.order, request.duration, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))


def _message(seen: GripperSeen, header: Header) -> GripperState:
    return GripperState(
        header=header,
        paddles=seen.paddles.value,
        paddles_moving=seen.paddles_moving,
        lift=seen.lift.value,
        lift_moving=seen.lift_moving,
        inner_beam=seen.inner_beam,
        outer_beam=seen.outer_beam,
        left_contact=seen.left_contact,
        right_contact=seen.right_contact,
        kind=seen.kind,
        state=seen.state,
        switches=seen.switches,
        grasp_time=math.nan if seen.grasp_time is None else seen.grasp_time,
    )
