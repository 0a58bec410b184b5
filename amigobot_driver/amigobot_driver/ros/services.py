# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The services for motors, sonars, stops, odometry, gripper and charger, and the reset of the controller."""

from __future__ import annotations

from std_srvs.srv import SetBool, Trigger

from amigobot_msgs.srv import Gripper, ResetRobot, SetOdometry, SetSonarSequence

from ..robot import Outcome, RequestRefusedError, Robot
from .interface import Answer, Interface, robot_service


class RobotServices(Interface):
    """Serves single requests; sounds, ports and tuning values have modules of their own."""

    @robot_service(SetBool, "enable_motors")
    def _enable_motors(self, robot: Robot, request: SetBool.Request, now: float) -> Answer:
        return robot.enable_motors(request.data, now)

    @robot_service(SetBool, "enable_sonar")
    def _enable_sonar(self, robot: Robot, request: SetBool.Request, now: float) -> Answer:
        return robot.sonar.set(request.data, now)

    @robot_service(SetSonarSequence, "set_sonar_sequence")
    def _set_sequence(self, robot: Robot, request: SetSonarSequence.Request, now: float) -> Answer:
        if bool(request.sonars) == request.all_sonars:
            both = "sonars has numbers and all_sonars is true" if request.all_sonars else "sonars has no number"
            raise RequestRefusedError(f"{both}: give numbers in sonars, or all_sonars: true")
        return robot.sequence.set(tuple(request.sonars), now)

    @robot_service(Trigger, "stop")
    def _stop(self, robot: Robot, _: Trigger.Request, now: float) -> Answer:
        robot.motion.stop(now)
        return Outcome(robot.running, "stopping" if robot.running else robot.note)

    @robot_service(Trigger, "emergency_stop")
    def _emergency_stop(self, robot: Robot, _: Trigger.Request, now: float) -> Answer:
        robot.motion.emergency_stop()
        state = "braking" if robot.running else f"no robot to brake ({robot.note})"
        return f"{state}; every velocity is refused until clear_emergency_stop"

    @robot_service(Trigger, "clear_emergency_stop")
    def _clear_emergency_stop(self, robot: Robot, _: Trigger.Request, now: float) -> Answer:
        latched = robot.motion.emergency
        robot.motion.clear_emergency_stop(now)
        return "velocities are accepted again" if latched else "no emergency stop was latched"

    @robot_service(Trigger, "reset_odometry")
    def _reset_odometry(self, robot: Robot, _: Trigger.Request, now: float) -> Answer:
        robot.set_odometry()
        return "x, y and yaw are zero"

    @robot_service(SetOdometry, "set_odometry")
    def _set_odometry(self, robot: Robot, request: SetOdometry.Request, now: float) -> Answer:
        pose = request.x, request.y, request.yaw
        if not any(pose):
            raise RequestRefusedError(
                "x, y and yaw are all 0, as in an empty request: to zero the pose, call reset_odometry"
            )
        robot.set_odometry(*pose)
        return f"x {request.x:g} m, y {request.y:g} m, yaw {request.yaw:g} rad"

    @robot_service(Gripper, "gripper")
    def _order(self, robot: Robot, request: Gripper.Request, now: float) -> Answer:
        return robot.gripper.order(request.order, request.duration, now)

    @robot_service(SetBool, "deploy_charger")
    def _deploy_charger(self, robot: Robot, request: SetBool.Request, now: float) -> Answer:
        return robot.charger.deploy(request.data, now)

    @robot_service(ResetRobot, "reset_robot")
    def _reset(self, robot: Robot, request: ResetRobot.Request, now: float) -> Answer:
        if not request.confirm:
            raise RequestRefusedError("not reset: confirm is false; a reset disconnects the robot for some seconds")
        return robot.reset(now)
