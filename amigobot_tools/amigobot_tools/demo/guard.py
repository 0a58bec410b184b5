# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Watches the sonars that point ahead: plain values in, a reason to stop out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from amigobot_driver.profiles import SonarPose

#: Sonars that point at most this far from straight ahead.
_AHEAD = math.radians(50)
#: s after which a reading is too old
_STALE = 1.5


class Guard:
    """Checks for free floor ahead: at least `clearance` m in front of every sonar that points ahead."""

    def __init__(self, sonars: Sequence[SonarPose], clearance: float) -> None:
        self._clearance = clearance
        self._readings = {number: (math.nan, -math.inf) for number in range(len(sonars))}
        self._ahead = [number for number, pose in enumerate(sonars) if abs(pose.heading) <= _AHEAD]

    def update(self, number: int, distance: float, now: float) -> None:
        """Add a reading of a sonar, m."""
        self._readings[number] = distance, now

    def nearest(self, now: float) -> float:
        """Of all fresh readings, all around; nan when there is none."""
        return min((distance for distance, time in self._readings.values() if now - time <= _STALE), default=math.nan)

    def silent_sonar(self, now: float) -> str:
        """Which sonar ahead gives no readings, as a sentence; empty when all do."""
        for number in self._ahead:
            if now - self._readings[number][1] > _STALE:
                return f"sonar {number}, which points ahead, is silent"
        return "" if self._ahead else "this robot has no sonar that points ahead"

    def objection(self, now: float) -> str:
        """Why the robot must not drive forward; empty when it may."""
        if silent := self.silent_sonar(now):
            return silent
        distance, number = min((self._readings[number][0], number) for number in self._ahead)
        if distance < self._clearance:
            return f"something is {distance:.2f} m in front of sonar {number}: clear {self._clearance:g} m"
        return ""
