# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The drives of a calibration: told how far the robot has come, each says how to drive on. Plain values, no robot."""

from __future__ import annotations

import math
from typing import Protocol

#: m/s^2 and rad/s^2 with which the speed falls towards the end of a motion, gentler than the robot brakes.
_DECELERATION, _ANGULAR_DECELERATION = 0.1, 0.4
#: m/s and rad/s at which a motion ends, and m and rad before its end at which it is left.
_CREEP, _ANGULAR_CREEP = 0.03, 0.1
_NEAR, _ANGULAR_NEAR = 0.01, math.radians(1)


class Drive(Protocol):
    """One drive."""

    def velocity(self, travelled: float, turned: float) -> tuple[float, float] | None:
        """Return the velocity (m/s, rad/s) after so much (m, rad) since the start; None when it has ended."""
        ...


class Turns:
    """Turn on the spot.

    Args:
        angle: rad, counter-clockwise positive.
        rate: rad/s.
    """

    def __init__(self, angle: float, rate: float) -> None:
        self._angle = angle
        self._rate = rate

    def velocity(self, travelled: float, turned: float) -> tuple[float, float] | None:
        """See `Drive`."""
        left = (self._angle - turned) * math.copysign(1.0, self._angle)
        if left <= _ANGULAR_NEAR:
            return None
        rate = min(self._rate, _ANGULAR_CREEP + math.sqrt(2 * _ANGULAR_DECELERATION * left))
        return 0.0, math.copysign(rate, self._angle)


class Straight:
    """Drive straight on.

    Args:
        distance: m.
        speed: m/s.
    """

    def __init__(self, distance: float, speed: float) -> None:
        self._distance = distance
        self._speed = speed

    def velocity(self, travelled: float, turned: float) -> tuple[float, float] | None:
        """See `Drive`."""
        left = self._distance - travelled
        if left <= _NEAR:
            return None
        return min(self._speed, _CREEP + math.sqrt(2 * _DECELERATION * left)), 0.0


class Square:
    """Drive around a square, and turn on the spot at each corner, also at the last one.

    Args:
        side: m.
        left: Counter-clockwise.
        speed: m/s.
        rate: rad/s.
    """

    def __init__(self, side: float, *, left: bool, speed: float, rate: float) -> None:
        corner = math.pi / 2 if left else -math.pi / 2
        self._parts: list[Drive] = []
        for number in range(4):
            self._parts.append(Straight((number + 1) * side, speed))
            self._parts.append(Turns((number + 1) * corner, rate))

    def velocity(self, travelled: float, turned: float) -> tuple[float, float] | None:
        """See `Drive`. A turn moves the robot a little, and a straight line turns it: both count from the start."""
        while self._parts:
            if (velocity := self._parts[0].velocity(travelled, turned)) is not None:
                return velocity
            self._parts.pop(0)
        return None
