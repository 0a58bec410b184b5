# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The set-points of a motion without end: frozen values in the units of the commands.

Source: docs/protocol.md 4.1, 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...protocol import Command, Instruction


@dataclass(frozen=True, slots=True)
class Velocity:
    """Translate and rotate: mm/s and deg/s. True unless both are 0."""

    linear: int = 0
    angular: int = 0

    def instructions(self) -> tuple[Instruction, ...]:
        """Return the commands for this velocity."""
        return Command.VEL(self.linear), Command.RVEL(self.angular)

    @property
    def size(self) -> int:
        """A measure that is larger for the faster of two velocities on the same curve."""
        return abs(self.linear) + abs(self.angular)

    def __bool__(self) -> bool:
        return bool(self.linear or self.angular)


@dataclass(frozen=True, slots=True)
class Wheels:
    """Velocity of each wheel in steps of the firmware (20 mm/s), -127 to 127 (docs/protocol.md E-47)."""

    left: int
    right: int

    @classmethod
    def nearest(cls, left: float, right: float, limit: float, step: float) -> Wheels:
        """Return the nearest whole steps, within the limit.

        Args:
            left: m/s.
            right: m/s.
            limit: Largest velocity of a wheel, m/s.
            step: Size of a step, m/s.
        """
        most = math.floor(min(127.0, limit / step + 1e-9))
        return cls(*(round(max(-most, min(most, velocity / step))) for velocity in (left, right)))

    def instructions(self) -> tuple[Instruction, ...]:
        """Return the command for these wheel velocities."""
        return (Command.VEL2((self.left & 0xFF) << 8 | self.right & 0xFF),)

    @property
    def size(self) -> int:
        """A measure that is larger for the faster of two requests on the same curve."""
        return abs(self.left) + abs(self.right)

    def __bool__(self) -> bool:
        return bool(self.left or self.right)


@dataclass(frozen=True, slots=True)
class Course:
    """Translate (mm/s) while the firmware turns to a heading and keeps it (deg in the robot's own frame)."""

    linear: int
    heading: int

    def instructions(self) -> tuple[Instruction, ...]:
        """Return the commands for this course."""
        return Command.VEL(self.linear), Command.HEAD(self.heading)

    @property
    def size(self) -> int:
        """The speed in mm/s."""
        return abs(self.linear)

    def __bool__(self) -> bool:
        return True


Setpoint = Velocity | Wheels | Course

STANDING = Velocity()
