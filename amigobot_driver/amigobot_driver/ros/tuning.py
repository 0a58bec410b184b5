"""Services for the robot's working values; each responds with the values that the robot reports afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from rclpy.node import Node

from amigobot_msgs.srv import GetPid, GetRobotConfig, SaveConfig, SetMotorPwm, SetPid, SetRobotConfig

from ..driver import Driver
from ..protocol import Parameters
from ..robot import Outcome, Refused
from ..wording import counted
from . import conversions
from .parameters import NodeParameters
from .requests import await_result, fill_response, service_factory

_SERVOS = {SetPid.Request.ROTATION: "rot", SetPid.Request.TRANSLATION: "trans"}
_TERMS = ("kp", "kv", "ki")
_UNCHANGED = "unchanged: a term of 0 is set only with set_zeros: true"


class TuningServices:
    """Serves set_pid, get_pid, set_robot_config, get_robot_config, set_motor_pwm and save_config."""

    def __init__(self, node: Node, driver: Driver, parameters: NodeParameters) -> None:
        self._node = node
        self._driver = driver
        self._parameters = parameters
        create_service = service_factory(node)
        create_service(SetPid, "set_pid", self._set_pid)
        create_service(GetPid, "get_pid", self._get_pid)
        create_service(SetRobotConfig, "set_robot_config", self._set_config)
        create_service(SetMotorPwm, "set_motor_pwm", self._set_pwm)
        create_service(SaveConfig, "save_config", self._save)
        create_service(GetRobotConfig, "get_robot_config", self._get_config)

    async def _set_pid(self, request: SetPid.Request, response: SetPid.Response) -> SetPid.Response:
        servo = _SERVOS.get(request.servo)
        if servo is None:
            return fill_response(
                response, Outcome(False, f"servo is {request.servo}, allowed: 0 rotation, 1 translation")
            )
        values = {term: getattr(request, term) for term in _TERMS if getattr(request, term) or request.set_zeros}
        kept = ", ".join(term for term in _TERMS if term not in values)
        if values:
            outcome, config = await self._set({f"{servo}_{term}": value for term, value in values.items()})
            if kept:
                outcome = Outcome(outcome.success, f"{outcome.message}; {kept} {_UNCHANGED}")
        else:
            outcome, config = Outcome(False, f"nothing to set: {kept} {_UNCHANGED}"), None
        if config:
            response.reported = _pid(config, servo)
        return fill_response(response, outcome)

    async def _get_pid(self, _: GetPid.Request, response: GetPid.Response) -> GetPid.Response:
        outcome, config = await self._set({})
        if config:
            response.rotation, response.translation = _pid(config, "rot"), _pid(config, "trans")
        return fill_response(response, outcome)

    async def _set_config(
        self, request: SetRobotConfig.Request, response: SetRobotConfig.Response
    ) -> SetRobotConfig.Response:
        if len(request.names) != len(request.values):
            names, values = counted(len(request.names), "name"), counted(len(request.values), "value")
            return fill_response(response, Outcome(False, f"{names} and {values}: equal numbers are required"))
        if repeated := [name for name in dict.fromkeys(request.names) if request.names.count(name) > 1]:
            return fill_response(response, Outcome(False, f"{', '.join(repeated)}: given more than once"))
        return await self._config(dict(zip(request.names, request.values, strict=True)), response)

    def _set_pwm(self, request: SetMotorPwm.Request, response: SetMotorPwm.Response) -> SetMotorPwm.Response:
        try:
            with self._driver.robot() as robot:
                return fill_response(response, robot.pwm.set(request.frequency, request.max_duty, self._driver.clock()))
        except Refused as reason:
            return fill_response(response, Outcome(False, str(reason)))

    def _save(self, request: SaveConfig.Request, response: SaveConfig.Response) -> SaveConfig.Response:
        if not request.overwrite_flash:
            complaint = "not saved: overwrite_flash must be true; saving destroys the old values in FLASH"
            return fill_response(response, Outcome(False, complaint))
        try:
            with self._driver.robot() as robot:
                return fill_response(response, robot.flash.save())
        except Refused as reason:
            return fill_response(response, Outcome(False, str(reason)))

    async def _get_config(
        self, _: GetRobotConfig.Request, response: GetRobotConfig.Response
    ) -> GetRobotConfig.Response:
        return await self._config({}, response)

    async def _config(self, values: Mapping[str, int], response: Any) -> Any:
        outcome, config = await self._set(values)
        with self._driver.robot() as robot:
            identity, profile, reason = robot.session.identity, robot.profile, robot.profile_reason
        if identity:
            frame = f"{self._parameters['frame_prefix']}{self._parameters['base_frame']}"
            header = conversions.header_now(self._node, frame)
            response.config = conversions.robot_config(identity, profile, reason, config, header)
        return fill_response(response, outcome)

    async def _set(self, values: Mapping[str, int]) -> tuple[Outcome, Parameters | None]:
        """Set working values and read the CONFIG packet again; return the outcome and the reported values."""
        with self._driver.robot() as robot:
            if not robot.running:
                return Outcome(False, f"there is no robot: {robot.note}"), None
            try:
                pending: Future[Outcome] = robot.working_values.set(values, self._driver.clock())
            except ValueError as error:
                return Outcome(False, str(error)), robot.working_values.config
        outcome = await await_result(self._node, pending)
        with self._driver.robot() as robot:
            return outcome, robot.working_values.config


def _pid(config: Parameters, servo: str) -> list[int]:
    return [getattr(config, f"{servo}_{term}") for term in _TERMS]
