"""How the motors are driven, for controllers that let one choose: the Erratic (PROTOCOL 4.2)."""

from __future__ import annotations

from collections.abc import Callable

from ..protocol import CommandTable, ErraticCommand, Instruction
from .blind import REPEATS, Blind
from .envelope import Refused
from .outcome import Outcome


class MotorPwm:
    """Frequency and largest duty; no packet shows either."""

    def __init__(self, blind: Blind, lacks: Callable[[CommandTable], str]) -> None:
        self._blind = blind
        self._lacks = lacks

    def want(self, frequency: float, max_duty: float) -> Outcome:
        """Hz, and the share of full power (0 to 1); 0 leaves one as it is. Raises Refused."""
        wanted: list[Instruction] = []
        if frequency:
            wanted.append(ErraticCommand.PWM_FREQ(round(_checked("frequency", frequency, 4000, 16000))))
        if max_duty:
            wanted.append(ErraticCommand.PWM_DUTY(round(_checked("max_duty", max_duty, 0.01, 1) * 100)))
        if not wanted:
            raise Refused("frequency and max_duty are both 0: nothing is asked for")
        if why := self._lacks(wanted[0].command):
            raise Refused(why)
        for instruction in wanted:
            self._blind.want(instruction.command, instruction)
        told = " and ".join(map(str, wanted))
        return Outcome(True, f"{told}, sent {REPEATS} times; no packet of this robot confirms it")


def _checked(name: str, value: float, low: float, high: float) -> float:
    if not low <= value <= high:
        raise Refused(f"{name} is {value:g}, allowed: {low:g} to {high:g}, or 0 to leave it")
    return value
