"""The firmware's dead reckoning: encoder ticks in, the position and heading of the packets out."""

from __future__ import annotations

import math

from .body import Body
from .flash import Flash

#: ticks of the AmigoBot's encoder in one turn of a wheel (PROTOCOL 6.1), over its circumference in m
_AMIGO_TICKS_PER_M = 9550 / (math.pi * 0.100)
#: DRIFTFACTOR counts in these shares of the left wheel's ticks
_DRIFT_UNIT = 1 / 8192


def ticks_per_metre(flash: Flash) -> float:
    """What the parameters say that the encoders count."""
    return flash.ticks_mm * 1000.0 or _AMIGO_TICKS_PER_M


class Odometer:
    """Counts whole ticks, as the encoders do, and integrates them. m, rad; the heading is not wrapped."""

    def __init__(self, body: Body, built: Flash) -> None:
        self._body = body
        self._resolution = ticks_per_metre(built)  # of the encoders themselves, whatever is configured later
        self._origin = body.left.travel, body.right.travel
        self.left_ticks = self.right_ticks = 0
        self.x = self.y = self.heading = 0.0

    def zero(self) -> None:
        """SETO."""
        self.x = self.y = self.heading = 0.0

    def update(self, working: Flash) -> tuple[int, int]:
        """Read the encoders; the ticks since the last time."""
        left = math.floor((self._body.left.travel - self._origin[0]) * self._resolution) - self.left_ticks
        right = math.floor((self._body.right.travel - self._origin[1]) * self._resolution) - self.right_ticks
        if left or right:
            self.left_ticks += left
            self.right_ticks += right
            self._integrate(left * (1 + working.drift_factor * _DRIFT_UNIT), right, working)
        return left, right

    def _integrate(self, left: float, right: float, working: Flash) -> None:
        way = (left + right) / 2 / ticks_per_metre(working)
        turn = (right - left) / 2 * math.tau / working.rev_count
        middle = self.heading + turn / 2
        self.x += way * math.cos(middle)
        self.y += way * math.sin(middle)
        self.heading += turn
