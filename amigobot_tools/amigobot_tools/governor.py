# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Limits the speed in front of obstacles, by the newest sonar readings."""

from __future__ import annotations

import math
from collections.abc import Iterable

from amigobot_driver import SonarReading
from amigobot_driver.profiles import Body, Profile

#: m that stay free in front of the body
MARGIN = 0.15
#: m beside the body that count as its path
_SIDE = 0.05
#: s from a ping to its effect on the wheels: the round of all sonars, the link, the reaction of the servos
_DELAY = 0.5
#: m/s^2 that every robot of the family can brake with
_DECELERATION = 0.3
#: s after which a sonar reading is old, for all tools
STALE = 1.5
#: rad between the direction of a sonar and the direction of motion, below which it watches the path
_AHEAD = math.radians(60)
#: m/s while no sonar watches the path
BLIND_SPEED = 0.1


def free_distance(echoes: Iterable[SonarReading], body: Body, *, forward: bool) -> float:
    """Return the free distance (m) between the body and the nearest echo in its path.

    Args:
        echoes: The newest reading of each sonar.
        body: Dimensions of the robot.
        forward: Direction of the motion.

    Returns:
        The distance; inf without an echo in the path; NaN if no sonar watches the path.
    """
    sign, edge = (1, body.front) if forward else (-1, body.rear)
    seen = False
    nearest = math.inf
    for echo in echoes:
        if echo.age > STALE or math.isnan(echo.range):
            continue
        seen = seen or math.cos(echo.heading) * sign >= math.cos(_AHEAD)
        if math.isfinite(echo.range):
            x, y = echo.point
            if abs(y) <= body.width / 2 + _SIDE and x * sign > 0:
                nearest = min(nearest, max(0.0, x * sign - edge))
    return nearest if seen else math.nan


def safe_speed(distance: float) -> float:
    """Return the highest speed (m/s) from which the robot comes to rest `MARGIN` before an obstacle.

    Args:
        distance: The free distance, m; NaN if no sonar watches the path.
    """
    if math.isnan(distance):
        return BLIND_SPEED
    room = distance - MARGIN
    if room <= 0:
        return 0.0
    return _DECELERATION * (math.sqrt(_DELAY**2 + 2 * room / _DECELERATION) - _DELAY)


def governed(linear: float, echoes: Iterable[SonarReading], profile: Profile | None) -> float:
    """Return the velocity (m/s), reduced to the speed that is safe in its direction."""
    if linear == 0:
        return 0.0
    distance = free_distance(echoes, profile.body, forward=linear > 0) if profile else math.nan
    return math.copysign(min(abs(linear), safe_speed(distance)), linear)
