# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Services for the robot's tuning values; each responds with the values that the robot reports afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amigobot_msgs.srv import GetPid, GetRobotConfig, SaveConfig, SetMotorPwm, SetPid, SetRobotConfig

from ..protocol import TuningValues
from ..robot import Outcome, RequestRefusedError, Robot
from ..wording import counted
from . import conversions
from .interface import Answer, Interface, fill_response, refuse, robot_service, service

_SERVOS = {SetPid.Request.ROTATION: "rot", SetPid.Request.TRANSLATION: "trans"}
_TERMS = ("kp", "kv", "ki")
_UNCHANGED = "unchanged: a term of 0 is set only with set_zeros: true"


class TuningServices(Interface):
    """Serves the tuning values: PID terms, limits and all others that CONFIG reports."""

    @service(SetPid, "set_pid")
    async def _set_pid(self, request: SetPid.Request, response: SetPid.Response) -> SetPid.Response:
        servo = _SERVOS.get(request.servo)
        if servo is None:
            return refuse(response, f"servo is {request.servo}, allowed: 0 (rotation) or 1 (translation)")
        values = {term: getattr(request, term) for term in _TERMS if getattr(request, term) or request.set_zeros}
        kept = ", ".join(term for term in _TERMS if term not in values)
        if not values:
            return refuse(response, f"nothing to set: {kept} {_UNCHANGED}")
        outcome, config = await self._set({f"{servo}_{term}": value for term, value in values.items()})
        if kept:
            outcome = Outcome(outcome.success, f"{outcome.message}; {kept} {_UNCHANGED}")
        if config:
            response.reported = config.pid(servo)
        return fill_response(response, outcome)

    @service(GetPid, "get_pid")
    async def _get_pid(self, _: GetPid.Request, response: GetPid.Response) -> GetPid.Response:
        outcome, config = await self._set({})
        if config:
            response.rotation, response.translation = config.pid("rot"), config.pid("trans")
        return fill_response(response, outcome)

    @service(SetRobotConfig, "set_robot_config")
    async def _set_config(
        self, request: SetRobotConfig.Request, response: SetRobotConfig.Response
    ) -> SetRobotConfig.Response:
        if len(request.names) != len(request.values):
            names, values = counted(len(request.names), "name"), counted(len(request.values), "value")
            return refuse(response, f"{names} and {values}: expected equal numbers of both")
        if repeated := [name for name in dict.fromkeys(request.names) if request.names.count(name) > 1]:
            return refuse(response, f"{', '.join(repeated)}: name each value once")
        return await self._config(dict(zip(request.names, request.values, strict=True)), response)

    @robot_service(SetMotorPwm, "set_motor_pwm")
    def _set_pwm(self, robot: Robot, request: SetMotorPwm.Request, now: float) -> Answer:
        return robot.erratic.set_pwm(request.frequency, request.max_duty, now)

    @robot_service(SaveConfig, "save_config")
    def _save(self, robot: Robot, request: SaveConfig.Request, now: float) -> Answer:
        if not request.overwrite_flash:
            raise RequestRefusedError(
                "not saved: overwrite_flash must be true; saving destroys the old values in FLASH"
            )
        return robot.erratic.save()

    @service(GetRobotConfig, "get_robot_config")
    async def _get_config(
        self, _: GetRobotConfig.Request, response: GetRobotConfig.Response
    ) -> GetRobotConfig.Response:
        return await self._config({}, response)

    async def _config(self, values: Mapping[str, int], response: Any) -> Any:
        outcome, config = await self._set(values)
        state = self._context.snapshot()
        if state.identity:
            header = self._context.header_now()
            response.config = conversions.robot_config(
                state.identity, state.profile, state.profile_reason, config, header
            )
        return fill_response(response, outcome)

    async def _set(self, values: Mapping[str, int]) -> tuple[Outcome, TuningValues | None]:
        """Set tuning values and read the CONFIG packet again; return the outcome and the reported values."""
        outcome = await self.outcome(lambda robot, now: robot.tuning.set(values, now))
        after = self._context.snapshot()
        return outcome, after.config if after.link.running else None
