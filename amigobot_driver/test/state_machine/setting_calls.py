# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calls that change how the robot works: switches, working values, parameters, raw commands."""

from __future__ import annotations

import asyncio

from amigobot_driver.protocol import Command
from amigobot_driver.robot import (
    TUNABLE,
    Outcome,
    Refused,
)
from amigobot_driver.robot.dialects.erratic import _COUNTERPARTS as ERRATIC
from amigobot_driver.ros.tuning import TuningServices
from amigobot_msgs.srv import SetPid

from .allowance import Allowance
from .records import Request
from .requests import Requests
from .setup import PARAMETERS


class SettingCalls(Requests):
    """Switches, working values, parameters, raw commands, the pose."""

    def enable_motors(self, on: bool) -> None:
        self._replaced()
        asked = self.now
        if self.running:  # else it is refused, and the driver keeps what it was told before
            self.motors_asked = on
        self.request(
            "motors",
            f"enable_motors({on})",
            lambda: self.robot.enable_motors(on, self.now),
            lambda outcome: self._differs(outcome, asked, "motors", self.witness.motors_on, on),
        )
        self._allow(Allowance())

    def enable_sonar(self, on: bool) -> None:
        asked = self.now
        self.request(
            "sonar",
            f"enable_sonar({on})",
            lambda: self.robot.enable_sonar(on, self.now),
            lambda outcome: self._differs(outcome, asked, "sonar", self.witness.sonar_on, on),
        )

    def poll_sonars(self, sonars: tuple[int, ...]) -> Request | Exception:
        return self.request(
            "sonar sequence",
            f"poll_sonars({sonars})",
            lambda: self.robot.poll_sonars(sonars, self.now),
            lambda outcome: "",
            ValueError,
        )

    def reset(self) -> None:
        asked, epoch = self.now, self.witness.epoch
        self._replaced()

        def judge(outcome: Outcome) -> str:
            if outcome.success and self.witness.epoch == epoch and not self.meddling.since(asked, "power"):
                return "success, but the controller was not reset"
            return ""

        self.request("reset", "reset()", lambda: self.robot.reset(self.now), judge, ends_with_session=False)
        self._allow(Allowance())
        self.meddling.note(self.now, "all")

    def tune(self, values: dict[str, int]) -> Request | Exception:
        """set_robot_config, set_pid."""
        asked = self.now

        def judge(outcome: Outcome) -> str:
            if not outcome.success or self.meddling.since(asked, "tuning"):
                return ""
            held = {name: self.witness.working(name) for name in values}
            wrong = {name: held[name] for name, value in values.items() if held[name] not in (value, None)}
            return f"success, but the robot holds {wrong}" if wrong else ""

        if not self.running:
            return Refused("there is no robot")
        answer = self.request(
            "tuning", f"tune({values})", lambda: self.robot.working_values.set(values, self.now), judge, ValueError
        )
        if not isinstance(answer, Exception):
            self.touched |= values.keys()
        return answer

    def set_pid(self, servo: int, terms: tuple[int, int, int], *, set_zeros: bool) -> None:
        """The service set_pid; only what its caller asks for may change."""
        handler = TuningServices.__new__(TuningServices)
        sent: list[dict[str, int]] = []

        async def record(values: dict[str, int]) -> tuple[Outcome, None]:
            sent.append(values)
            return Outcome(True, "recorded"), None

        handler._set = record  # type: ignore[assignment, method-assign]
        kp, kv, ki = terms
        request = SetPid.Request(servo=servo, kp=kp, kv=kv, ki=ki, set_zeros=set_zeros)
        asyncio.run(handler._set_pid(request, SetPid.Response()))
        asked = self.touched | {
            f"{('rot', 'trans')[servo]}_{name}"
            for name, value in zip(("kp", "kv", "ki"), terms, strict=True)
            if value or set_zeros
        }
        for values in sent:
            self.tune(values)
        self.touched &= asked

    def read_config(self) -> None:
        if self.running:
            self.request("tuning", "read_config()", lambda: self.robot.working_values.read(self.now))

    def set_motor_pwm(self, frequency: float, max_duty: float) -> object:
        self.touched |= {"pwm_max", "pwm_wrap", "stall_val"}
        return self.call(lambda: self.robot.pwm.set(frequency, max_duty, self.now), Refused)

    def save_config(self) -> object:
        return self.call(lambda: self.robot.flash.save(), Refused)

    def set_odometry(self, x: float, y: float, yaw: float) -> None:
        self.call(lambda: self.robot.set_odometry(x, y, yaw))
        self.settings += 1
        self.odometry_set = x, y, yaw

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> object:
        """send_command; the answer, or the refusal."""
        answer = self.call(lambda: self.robot.send_raw(number, arguments, text), Refused)
        if isinstance(answer, Outcome) and answer.success:
            self.meddling.note(self.now, *_SUBJECTS.get(number, ("other",)))
            self.touched |= _TOUCHED.get(number, set())
            if number in _RESTARTS:
                self._spoil()
        return answer

    def set_parameter(self, name: str, value: object) -> bool:
        """Set one of the node's parameters at run time; whether it was taken."""
        spec = PARAMETERS[name]
        try:
            self.values[name] = spec.check(value)
        except ValueError:
            return False
        if spec.tunes:
            self.touched.add(spec.tunes[0])
        if name in ("max_linear_velocity", "max_angular_velocity"):
            self._limits_changed()
        options = self._options()
        self.request("tuning", f"{name}={value!r}", lambda: self.robot.configure(options, self.now), lambda outcome: "")
        return True

    def _limits_changed(self) -> None:
        """A lower limit slows down at once; a higher one lets a movement go on faster, and a velocity not."""
        self.touched |= {"trans_vel_max", "rot_vel_max"}
        self.user_limits.append((self.now, self._user_limits()))
        limits, movement = self.limits, self.movement
        if movement:
            self._allow(movement.allowance.clamped(limits.linear, limits.angular))
        else:
            self.allowances.limit(limits.linear, limits.angular, self.now)


#: What raw commands change, by their numbers.
_TOUCHED: dict[int, set[str]] = {}
for _name, _value in TUNABLE.items():
    _TOUCHED.setdefault(_value.command.number, set()).add(_name)
    if _value.command in ERRATIC:
        _TOUCHED.setdefault(ERRATIC[_value.command].number, set()).add(_name)
_SUBJECTS: dict[int, tuple[str, ...]] = {
    **dict.fromkeys(_TOUCHED, ("tuning",)),
    Command.SONAR.number: ("sonar",),
    Command.DIGOUT.number: ("digital outputs",),
    Command.ADSEL.number: ("analog input",),
    Command.SOUNDTOG.number: ("sounds",),
    Command.RESET.number: ("all", "power"),
    Command.BATTEST.number: ("all",),
}
_RESTARTS = {
    Command.RESET.number,
    Command.BATTEST.number,
    Command.SETO.number,
    Command.STOP.number,
    Command.E_STOP.number,
}
