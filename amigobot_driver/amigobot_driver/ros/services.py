# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The services of every robot: motors, sonars, stops and odometry."""

from __future__ import annotations

import math

from std_srvs.srv import SetBool, Trigger

from amigobot_msgs.srv import SetOdometry, SetSonarSequence

from ..robot import Outcome, Robot, take_snapshot
from .interface import Interface, refuse, service


class RobotServices(Interface):
    """Serves what every robot has."""

    @service(SetBool, "enable_motors", "`data: true` switches the motors on, `false` off")
    async def _enable_motors(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        return await self.respond(response, lambda robot, now: robot.enable_motors(request.data, now))

    @service(SetBool, "enable_sonar", "switches the sonars on or off")
    async def _enable_sonar(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        return await self.respond(response, lambda robot, now: robot.enable_sonar(request.data, now))

    @service(SetSonarSequence, "set_sonar_sequence", "confirmed by the pings; `all_sonars: true` for all")
    async def _set_sequence(
        self, request: SetSonarSequence.Request, response: SetSonarSequence.Response
    ) -> SetSonarSequence.Response:
        if bool(request.sonars) == request.all_sonars:
            both = "sonars has numbers and all_sonars is true" if request.all_sonars else "sonars has no number"
            return refuse(response, f"{both}: give numbers in sonars, or all_sonars: true")
        return await self.respond(response, lambda robot, now: robot.poll_sonars(tuple(request.sonars), now))

    @service(Trigger, "stop", "normal deceleration; the next velocity drives again")
    async def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        def stop(robot: Robot, now: float) -> Outcome:
            robot.stop(now)
            link = take_snapshot(robot).link
            return Outcome(link.running, "stopping" if link.running else link.note)

        return await self.respond(response, stop)

    @service(Trigger, "emergency_stop", "brakes hard and latches")
    async def _emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        def stop(robot: Robot, now: float) -> str:
            robot.emergency_stop()
            link = take_snapshot(robot).link
            state = "braking" if link.running else f"no robot to brake ({link.note})"
            return f"{state}; every velocity is refused until clear_emergency_stop"

        return await self.respond(response, stop)

    @service(Trigger, "clear_emergency_stop", "velocities are accepted again")
    async def _clear_emergency_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        def clear(robot: Robot, now: float) -> str:
            latched = take_snapshot(robot).emergency_stop
            robot.clear_emergency_stop()
            return "velocities are accepted again" if latched else "no emergency stop was latched"

        return await self.respond(response, clear)

    @service(Trigger, "reset_odometry", "x, y and yaw become 0")
    async def _reset_odometry(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        def reset(robot: Robot, now: float) -> str:
            robot.set_odometry()
            return "x, y and yaw are zero"

        return await self.respond(response, reset)

    @service(SetOdometry, "set_odometry", "x, y and yaw; refuses a request with all zeros")
    async def _set_odometry(self, request: SetOdometry.Request, response: SetOdometry.Response) -> SetOdometry.Response:
        if not all(map(math.isfinite, (request.x, request.y, request.yaw))):
            return refuse(response, "x, y (m) and yaw (rad) must be finite numbers")
        if not (request.x or request.y or request.yaw):
            return refuse(
                response, "x, y and yaw are all 0, as in an empty request: to zero the pose, call reset_odometry"
            )

        def set_pose(robot: Robot, now: float) -> str:
            robot.set_odometry(request.x, request.y, request.yaw)
            return f"x {request.x:g} m, y {request.y:g} m, yaw {request.yaw:g} rad"

        return await self.respond(response, set_pose)
