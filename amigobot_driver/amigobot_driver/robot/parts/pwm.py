"""How the motors are driven, for controllers that let one choose: the Erratic (PROTOCOL 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...protocol import CommandTable, ErraticCommand, Instruction
from ..driving.envelope import Refused
from ..events import Event, Notice
from ..outcome import Outcome
from .blind import REPEATS, Blind


class MotorPwm:
    """Frequency and largest duty. CONFIG has counts of a timer instead, pwm_max and pwm_wrap, for people to compare."""

    def __init__(self, blind: Blind, lacks: Callable[[CommandTable], str]) -> None:
        self._blind = blind
        self._lacks = lacks
        self._adopted = (0.0, 0.0)

    def adopt(self, frequency: float, max_duty: float, lack: str) -> Iterator[Event]:
        """Have what the options say, unless a later wish differs; `lack`: why this robot cannot be told."""
        if (frequency, max_duty) == self._adopted:
            return
        self._adopted = frequency, max_duty
        try:
            if lack:
                raise Refused(lack)
            for instruction in _instructions(frequency, max_duty):
                self._blind.want(instruction.command, instruction)
        except Refused as reason:
            yield Notice(f"parameters motor_pwm_frequency, motor_pwm_max_duty: {reason}")

    def want(self, frequency: float, max_duty: float) -> Outcome:
        """Hz, and the share of full power (0 to 1); 0 leaves one as it is. Raises Refused."""
        wanted = list(_instructions(frequency, max_duty))
        if not wanted:
            raise Refused("frequency and max_duty are both 0: nothing is asked for")
        if why := self._lacks(wanted[0].command):
            raise Refused(why)
        for instruction in wanted:
            self._blind.want(instruction.command, instruction)
        told = " and ".join(map(str, wanted))
        return Outcome(True, f"{told}, sent {REPEATS} times; compare pwm_max with pwm_wrap in get_robot_config")


def _instructions(frequency: float, max_duty: float) -> Iterator[Instruction]:
    """Nothing for what is 0. Raises Refused."""
    if frequency:
        yield ErraticCommand.PWM_FREQ(round(_checked("frequency", frequency, 4000, 16000)))
    if max_duty:
        yield ErraticCommand.PWM_DUTY(round(_checked("max_duty", max_duty, 0.01, 1) * 100))


def _checked(name: str, value: float, low: float, high: float) -> float:
    if not low <= value <= high:
        raise Refused(f"{name} is {value:g}, allowed: {low:g} to {high:g}, or 0 to leave it")
    return value
