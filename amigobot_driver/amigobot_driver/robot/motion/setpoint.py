"""What a robot can be told to do with its wheels: frozen values in the units of the commands.

Source: docs/protocol.md 4.1, 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...protocol import Command, Instruction


@dataclass(frozen=True, slots=True)
class Velocity:
    """Translate and rotate: mm/s and deg/s. True while it is not standing."""

    linear: int = 0
    angular: int = 0

    def instructions(self) -> tuple[Instruction, ...]:
        return Command.VEL(self.linear), Command.RVEL(self.angular)

    def __bool__(self) -> bool:
        return bool(self.linear or self.angular)


@dataclass(frozen=True, slots=True)
class Wheels:
    """Each wheel by itself, in steps of the firmware (20 mm/s), -127 to 127 (docs/protocol.md E-47)."""

    left: int
    right: int

    @classmethod
    def nearest(cls, left: float, right: float, limit: float, step: float) -> Wheels:
        """The whole steps nearest to two wheel velocities; all in m/s, and no wheel beyond the limit."""
        most = math.floor(min(127.0, limit / step + 1e-9))
        return cls(*(round(max(-most, min(most, velocity / step))) for velocity in (left, right)))

    def instructions(self) -> tuple[Instruction, ...]:
        return (Command.VEL2((self.left & 0xFF) << 8 | self.right & 0xFF),)

    def __bool__(self) -> bool:
        return bool(self.left or self.right)


@dataclass(frozen=True, slots=True)
class Course:
    """Translate at mm/s while the firmware's servo turns to a heading and keeps it: deg in the robot's own frame."""

    linear: int
    heading: int

    def instructions(self) -> tuple[Instruction, ...]:
        return Command.VEL(self.linear), Command.HEAD(self.heading)

    def __bool__(self) -> bool:
        return True


Setpoint = Velocity | Wheels | Course

STANDING = Velocity()
