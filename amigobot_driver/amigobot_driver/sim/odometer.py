# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The firmware's dead reckoning: encoder ticks in, position and heading for the packets out."""

from __future__ import annotations

import math

from .body import SimulatedBody
from .flash import Flash


class SimulatedOdometer:
    """Counts whole encoder ticks and integrates them. `x` and `y` in m, `heading` in rad, not wrapped."""

    def __init__(self, body: SimulatedBody, flash: Flash) -> None:
        """Start at the origin.

        Args:
            body: The wheels.
            flash: Gives the real resolution of the encoders.
        """
        self._body = body
        self._resolution = flash.ticks_per_meter  # of the real encoders: TICKSMM does not change it
        self._origin = body.left.travel, body.right.travel
        self._turned = body.turned
        self.slipped = 0.0  #: rad that the wheels have turned more than the gyro says, in the last cycle
        self.left_ticks = self.right_ticks = 0
        self.x = self.y = self.heading = 0.0

    def zero(self) -> None:
        """Execute SETO: set position and heading to 0."""
        self.x = self.y = self.heading = 0.0

    def update(self, tuning: Flash) -> tuple[int, int]:
        """Read the encoders.

        Args:
            tuning: Tuning values that convert ticks to distances.

        Returns:
            Ticks of the left and the right wheel since the last call.
        """
        left = math.floor((self._body.left.travel - self._origin[0]) * self._resolution) - self.left_ticks
        right = math.floor((self._body.right.travel - self._origin[1]) * self._resolution) - self.right_ticks
        self.slipped = 0.0
        if left or right:
            self.left_ticks += left
            self.right_ticks += right
            self._integrate(left * (1 + tuning.drift_factor / 8192), right, tuning)
        return left, right

    def _integrate(self, left: float, right: float, tuning: Flash) -> None:
        distance = (left + right) / 2 / tuning.ticks_per_meter
        turn = (right - left) / 2 * math.tau / tuning.ticks_per_turn
        if tuning.has_gyro >= 2:
            by_gyro = self._body.turned - self._turned
            self.slipped, turn = turn - by_gyro, by_gyro
        self._turned = self._body.turned
        middle = self.heading + turn / 2
        self.x += distance * math.cos(middle)
        self.y += distance * math.sin(middle)
        self.heading += turn
