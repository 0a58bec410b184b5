# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The PWM of the motors, for controllers on which it can be set: the Erratic (docs/protocol 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import RequestRefusedError
from ...protocol import ErraticCommand, Instruction
from ..component import Component, Context
from ..events import Notice
from ..options import PWM_DUTIES, PWM_FREQUENCIES, Options
from ..outcome import Outcome
from ..unconfirmed import REPEATS, UnconfirmedCommands


class MotorPwm(Component):
    """Frequency and largest duty. CONFIG reports counts of a timer instead: pwm_max and pwm_wrap."""

    def __init__(self, context: Context, unconfirmed: UnconfirmedCommands, options: Callable[[], Options]) -> None:
        super().__init__(context)
        self._unconfirmed = unconfirmed
        self._options = options
        self._configured = (0.0, 0.0)

    def on_session_start(self, now: float) -> None:
        """Apply the values of the options after a change; emit a Notice if the robot cannot."""
        requested = self._options().pwm_frequency, self._options().pwm_max_duty
        if requested == self._configured:
            return
        self._configured = requested
        if not any(requested):
            return
        try:
            self.set(*requested, now)
        except RequestRefusedError as reason:
            self._context.emit(Notice(f"parameters motor_pwm_frequency, motor_pwm_max_duty: {reason}"))

    def set(self, frequency: float, max_duty: float, now: float) -> Outcome:
        """Set the PWM of both motors.

        Args:
            frequency: Hz, 4000 to 16000; 0 leaves it.
            max_duty: share of full power, 0.01 to 1; 0 leaves it.
            now: Time in s.

        Raises:
            RequestRefusedError: both are 0, a value is out of range, or the robot has no such commands.
        """
        commands = list(_instructions(frequency, max_duty))
        if not commands:
            raise RequestRefusedError("frequency and max_duty are both 0: nothing is requested")
        if reason := self._context.unsupported(commands[0].command):
            raise RequestRefusedError(reason)
        for command in commands:
            self._unconfirmed.request(command.command, command, now)
        sent = " and ".join(map(str, commands))
        remark = "the robot does not confirm it: call get_robot_config and compare pwm_max with pwm_wrap"
        return Outcome(True, f"{sent}, sent {REPEATS} times; {remark}")


def _instructions(frequency: float, max_duty: float) -> Iterator[Instruction]:
    """Return a command for each value that is not 0.

    Raises:
        RequestRefusedError: A value is out of range.
    """
    if frequency:
        yield ErraticCommand.PWM_FREQ(round(_checked("frequency", frequency, *PWM_FREQUENCIES, "Hz")))
    if max_duty:
        yield ErraticCommand.PWM_DUTY(round(_checked("max_duty", max_duty, *PWM_DUTIES, "of full power") * 100))


def _checked(name: str, value: float, low: float, high: float, unit: str) -> float:
    if not low <= value <= high:
        raise RequestRefusedError(
            f"{name} is {value:g}, allowed: 0 (keeps the robot's value) or {low:g} to {high:g} {unit}"
        )
    return value
