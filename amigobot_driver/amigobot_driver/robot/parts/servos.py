"""Hobby servos that the controller drives: joints to angles, as far as the profile says what a count is worth."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...profiles import Servos
from ...protocol import CommandTable, Instruction
from ..driving.envelope import Refused
from .blind import Blind


class ServoJoints:
    """Turns servos; none of them tells where it is."""

    def __init__(self, blind: Blind, lacks: Callable[[CommandTable], str]) -> None:
        self.servos = Servos()
        #: the instruction that turns a servo, by number, to a position in counts
        self.command: Callable[[int, int], Instruction] | None = None
        self._blind = blind
        self._lacks = lacks

    def turn(self, joint: str, angle: float) -> None:
        """Turn a joint of the profile to an angle (rad). Raises Refused."""
        servos = self.servos
        if joint not in servos.joints or self.command is None:
            raise Refused(f"joint {joint!r} is not there, this robot has: {', '.join(servos.joints) or 'none'}")
        if not math.isfinite(angle):
            raise Refused(f"{joint}: {angle} is no angle, a finite number of rad is needed")
        per_radian = servos.counts_per_degree * math.degrees(1)
        counts = servos.neutral + angle * per_radian
        if not servos.lowest <= counts <= servos.highest:
            low, high = ((end - servos.neutral) / per_radian for end in (servos.lowest, servos.highest))
            raise Refused(f"{joint}: {angle:g} rad, this servo turns from {low:.3g} to {high:.3g}")
        number = servos.joints.index(joint)
        try:
            instruction = self.command(number, round(counts))
        except ValueError as error:
            raise Refused(f"{joint}: {error}; see servos in the profile") from None
        if why := self._lacks(instruction.command):
            raise Refused(why)
        self._blind.want(("servo", number), instruction)
