# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The set-points of a motion without end, in the units of the commands.

Source: docs/protocol 4.1, 4.3.
"""

from __future__ import annotations

import math
from itertools import product

from ...protocol import Command, Instruction


class Setpoint:
    """The commands of a motion. False at rest.

    Attributes:
        size: A measure that is larger for the faster of two set-points on the same curve.
        instructions: The commands.
    """

    size: int
    instructions: tuple[Instruction, ...]

    def __bool__(self) -> bool:
        return self.size > 0


class VelocitySetpoint(Setpoint):
    """Translate and rotate: mm/s and deg/s."""

    def __init__(self, linear: int = 0, angular: int = 0) -> None:
        self.size = abs(linear) + abs(angular)
        self.instructions = Command.VEL(linear), Command.RVEL(angular)


class WheelSetpoint(Setpoint):
    """Velocity of each wheel in steps of the firmware (20 mm/s), -127 to 127 (docs/protocol E-47)."""

    def __init__(self, left: int, right: int) -> None:
        self.size = abs(left) + abs(right)
        self.instructions = (Command.VEL2((left & 0xFF) << 8 | right & 0xFF),)

    @classmethod
    def nearest(cls, left: float, right: float, limit: float, difference: float, step: float) -> WheelSetpoint:
        """Return the nearest whole steps within the limits; of equally near ones, the slowest.

        Args:
            left: m/s.
            right: m/s.
            limit: Largest velocity of a wheel, m/s.
            difference: Largest difference of the two, m/s. The caller has limited left and right to it: otherwise
                there may be no such pair of steps.
            step: Size of a step, m/s.
        """
        most = math.floor(min(127.0, limit / step + 1e-9))
        most_apart = math.floor(difference / step + 1e-9)
        exact = [max(-most, min(most, velocity / step)) for velocity in (left, right)]

        def distance(pair: tuple[int, ...]) -> tuple[float, int]:
            return max(abs(whole - steps) for whole, steps in zip(pair, exact, strict=True)), sum(map(abs, pair))

        pairs = product(*((math.floor(steps), math.ceil(steps)) for steps in exact))
        return cls(*min((pair for pair in pairs if abs(pair[1] - pair[0]) <= most_apart), key=distance))


class HeadingSetpoint(Setpoint):
    """Translate (mm/s) while the firmware turns to a heading and keeps it (deg in the robot's own frame)."""

    def __init__(self, linear: int, heading: int) -> None:
        self.size = abs(linear)
        self.instructions = Command.VEL(linear), Command.HEAD(heading)

    def __bool__(self) -> bool:
        return True


ZERO_VELOCITY = VelocitySetpoint()


def whole_degrees(heading: float) -> int:
    """Return a finite heading (rad) in whole degrees, -180 to 180, for HEAD."""
    return round(math.degrees(math.remainder(heading, math.tau)))
