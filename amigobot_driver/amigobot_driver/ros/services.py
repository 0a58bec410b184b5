"""The services: each states a wish and answers when the robot has confirmed it, or says why not."""

from __future__ import annotations

import math

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from amigobot_msgs.srv import SetOdometry, SetSonarSequence

from ..driver import Driver
from ..robot import Outcome
from .wish import answer, granted, offering


class Services:
    """Offers the node's services."""

    def __init__(self, node: Node, driver: Driver) -> None:
        self._node = node
        self._driver = driver
        offer = offering(node)
        offer(SetBool, "enable_motors", self._enable_motors)
        offer(SetBool, "enable_sonar", self._enable_sonar)
        offer(SetSonarSequence, "set_sonar_sequence", self._set_sequence)
        offer(Trigger, "stop", self._stop)
        offer(Trigger, "emergency_stop", self._emergency_stop)
        offer(Trigger, "clear_emergency_stop", self._clear_emergency_stop)
        offer(Trigger, "reset_odometry", self._reset_odometry)
        offer(SetOdometry, "set_odometry", self._set_odometry)

    async def _enable_motors(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            wish = robot.enable_motors(request.data, self._driver.clock())
        return answer(response, await granted(self._node, wish))

    async def _enable_sonar(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            wish = robot.enable_sonar(request.data, self._driver.clock())
        return answer(response, await granted(self._node, wish))

    async def _set_sequence(
        self, request: SetSonarSequence.Request, response: SetSonarSequence.Response
    ) -> SetSonarSequence.Response:
        if bool(request.sonars) == request.all_sonars:
            told = "sonars are named and all_sonars is true: choose one" if request.all_sonars else "no sonar is named"
            return answer(response, Outcome(False, f"{told}; numbers from 0 in sonars, or all_sonars: true"))
        try:
            with self._driver.robot() as robot:
                wish = robot.poll_sonars(tuple(request.sonars), self._driver.clock())
        except ValueError as error:
            return answer(response, Outcome(False, str(error)))
        return answer(response, await granted(self._node, wish))

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.stop()
            return answer(response, Outcome(robot.running, "stopping" if robot.running else robot.note))

    def _emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.emergency_stop()
            told = "braking" if robot.running else f"no robot to brake ({robot.note})"
        return answer(response, Outcome(True, f"{told}; every velocity is refused until clear_emergency_stop"))

    def _clear_emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            told = "velocities are taken again" if robot.motion.emergency else "no emergency stop was latched"
            robot.clear_emergency_stop()
        return answer(response, Outcome(True, told))

    def _reset_odometry(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.set_odometry()
        return answer(response, Outcome(True, "x, y and yaw are zero"))

    def _set_odometry(self, request: SetOdometry.Request, response: SetOdometry.Response) -> SetOdometry.Response:
        if not all(map(math.isfinite, (request.x, request.y, request.yaw))):
            return answer(response, Outcome(False, "x, y and yaw must be finite numbers of m and rad"))
        if not (request.x or request.y or request.yaw):
            told = "x, y and yaw are all 0, as in an empty request: call reset_odometry to set the pose to the origin"
            return answer(response, Outcome(False, told))
        with self._driver.robot() as robot:
            robot.set_odometry(request.x, request.y, request.yaw)
        return answer(response, Outcome(True, f"x {request.x:g} m, y {request.y:g} m, yaw {request.yaw:g} rad"))
