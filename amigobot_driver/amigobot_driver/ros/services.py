"""The services: each states a wish and answers when the robot has confirmed it, or says why not."""

from __future__ import annotations

from functools import partial

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from ..driver import Driver
from ..robot import Outcome
from .wish import granted


class Services:
    """Offers the node's services."""

    def __init__(self, node: Node, driver: Driver) -> None:
        self._node = node
        self._driver = driver
        # While one service waits for the robot, velocities and the other services must go on: in the node's own
        # group, where one callback at a time may be under way, even the emergency stop would wait.
        offer = partial(node.create_service, callback_group=ReentrantCallbackGroup())
        offer(SetBool, "enable_motors", self._enable_motors)
        offer(SetBool, "enable_sonar", self._enable_sonar)
        offer(Trigger, "stop", self._stop)
        offer(Trigger, "emergency_stop", self._emergency_stop)
        offer(Trigger, "clear_emergency_stop", self._clear_emergency_stop)
        offer(Trigger, "reset_odometry", self._reset_odometry)

    async def _enable_motors(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            wish = robot.enable_motors(request.data, self._driver.clock())
        return _answer(response, await granted(self._node, wish))

    async def _enable_sonar(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            wish = robot.enable_sonar(request.data, self._driver.clock())
        return _answer(response, await granted(self._node, wish))

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.stop()
            return _answer(response, Outcome(robot.running, "stopping" if robot.running else robot.note))

    def _emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.emergency_stop()
            told = "braking" if robot.running else f"no robot to brake ({robot.note})"
        return _answer(response, Outcome(True, f"{told}; every velocity is refused until clear_emergency_stop"))

    def _clear_emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            told = "velocities are taken again" if robot.motion.emergency else "no emergency stop was latched"
            robot.clear_emergency_stop()
        return _answer(response, Outcome(True, told))

    def _reset_odometry(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.set_odometry()
        return _answer(response, Outcome(True, "x, y and yaw are zero"))


def _answer(response, outcome: Outcome):  # type: ignore[no-untyped-def]
    response.success, response.message = outcome.success, outcome.message
    return response
