"""The services: each sends a request to the robot and responds when the robot has confirmed it, or says why not."""

from __future__ import annotations

import math

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from amigobot_msgs.srv import SetOdometry, SetSonarSequence

from ..driver import Driver
from ..robot import Outcome
from .requests import await_result, fill_response, service_factory


class RobotServices:
    """Serves what every robot has: motors, sonar, stops and odometry."""

    def __init__(self, node: Node, driver: Driver) -> None:
        self._node = node
        self._driver = driver
        create_service = service_factory(node)
        create_service(SetBool, "enable_motors", self._enable_motors)
        create_service(SetBool, "enable_sonar", self._enable_sonar)
        create_service(SetSonarSequence, "set_sonar_sequence", self._set_sequence)
        create_service(Trigger, "stop", self._stop)
        create_service(Trigger, "emergency_stop", self._emergency_stop)
        create_service(Trigger, "clear_emergency_stop", self._clear_emergency_stop)
        create_service(Trigger, "reset_odometry", self._reset_odometry)
        create_service(SetOdometry, "set_odometry", self._set_odometry)

    async def _enable_motors(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            pending = robot.enable_motors(request.data, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))

    async def _enable_sonar(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            pending = robot.enable_sonar(request.data, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))

    async def _set_sequence(
        self, request: SetSonarSequence.Request, response: SetSonarSequence.Response
    ) -> SetSonarSequence.Response:
        if bool(request.sonars) == request.all_sonars:
            both = "sonars has numbers and all_sonars is true" if request.all_sonars else "sonars has no number"
            return fill_response(response, Outcome(False, f"{both}: give numbers in sonars, or all_sonars: true"))
        try:
            with self._driver.robot() as robot:
                pending = robot.poll_sonars(tuple(request.sonars), self._driver.clock())
        except ValueError as error:
            return fill_response(response, Outcome(False, str(error)))
        return fill_response(response, await await_result(self._node, pending))

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.stop()
            return fill_response(response, Outcome(robot.running, "stopping" if robot.running else robot.note))

    def _emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.emergency_stop()
            state = "braking" if robot.running else f"no robot to brake ({robot.note})"
        return fill_response(response, Outcome(True, f"{state}; every velocity is refused until clear_emergency_stop"))

    def _clear_emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            message = "velocities are accepted again" if robot.motion.emergency else "no emergency stop was latched"
            robot.clear_emergency_stop()
        return fill_response(response, Outcome(True, message))

    def _reset_odometry(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._driver.robot() as robot:
            robot.set_odometry()
        return fill_response(response, Outcome(True, "x, y and yaw are zero"))

    def _set_odometry(self, request: SetOdometry.Request, response: SetOdometry.Response) -> SetOdometry.Response:
        if not all(map(math.isfinite, (request.x, request.y, request.yaw))):
            return fill_response(response, Outcome(False, "x, y (m) and yaw (rad) must be finite numbers"))
        if not (request.x or request.y or request.yaw):
            complaint = "x, y and yaw are all 0, as in an empty request: to zero the pose, call reset_odometry"
            return fill_response(response, Outcome(False, complaint))
        with self._driver.robot() as robot:
            robot.set_odometry(request.x, request.y, request.yaw)
        return fill_response(response, Outcome(True, f"x {request.x:g} m, y {request.y:g} m, yaw {request.yaw:g} rad"))
