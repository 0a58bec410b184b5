"""Other devices of a Pioneer: the topics `compass` and `joy`, the services `deploy_charger` and `reset_robot`."""

from __future__ import annotations

import math

from rclpy.node import Node
from sensor_msgs.msg import Joy
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from amigobot_msgs.msg import Compass
from amigobot_msgs.srv import ResetRobot

from ..driver import Driver
from ..robot import CompassReading, Event, JoystickReading, Outcome
from .requests import await_result, fill_response, service_factory
from .telemetry import TelemetryPublisher

_DEPTH = 10


class PioneerInterface:
    """Publishes `compass` and `joy`; serves `deploy_charger` and `reset_robot`."""

    events = (CompassReading, JoystickReading)

    def __init__(self, node: Node, driver: Driver, telemetry: TelemetryPublisher) -> None:
        self._node = node
        self._driver = driver
        self._telemetry = telemetry
        self._compass = node.create_publisher(Compass, "compass", _DEPTH)
        self._joy = node.create_publisher(Joy, "joy", _DEPTH)
        create_service = service_factory(node)
        create_service(SetBool, "deploy_charger", self._deploy_charger)
        create_service(ResetRobot, "reset_robot", self._reset)

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, CompassReading):
            self._compass.publish(_compass(event, self._telemetry.header(event.stamp)))
        elif isinstance(event, JoystickReading):
            self._joy.publish(
                Joy(
                    header=self._telemetry.header(event.stamp),
                    axes=event.axes,
                    buttons=[int(down) for down in event.buttons],
                )
            )

    async def _deploy_charger(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            pending = robot.charger.deploy(request.data, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))

    async def _reset(self, request: ResetRobot.Request, response: ResetRobot.Response) -> ResetRobot.Response:
        if not request.confirm:
            return fill_response(
                response, Outcome(False, "not reset: confirm is false; a reset disconnects the robot for some seconds")
            )
        with self._driver.robot() as robot:
            pending = robot.reset(self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))


def _compass(reading: CompassReading, header: Header) -> Compass:
    """Convert: `heading` is clockwise from north, `yaw` counter-clockwise from east (REP 103)."""
    return Compass(
        header=header,
        heading=reading.heading,
        yaw=math.remainder(math.pi / 2 - reading.heading, math.tau),
        resolution=reading.resolution,
        pitch=reading.pitch,
        roll=reading.roll,
        magnetic_field=reading.field,
        temperature=reading.celsius,
        error=reading.error,
    )
