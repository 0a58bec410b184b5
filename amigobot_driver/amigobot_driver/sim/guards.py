"""What the controller looks after by itself: that a client is there, and that the battery lasts.

Source: docs/protocol.md 8.5.
"""

from __future__ import annotations

import math
from enum import Enum, auto

#: s that the voltage must stay below the limit before the robot gives up
_CUT_OFF_DELAY = 1.0
#: s by which a time-out may be early, so that no rounding makes it a whole tick late
_GRACE = 0.005


class Watchdog:
    """Bites when nothing has been heard for too long; hearing something again calms it."""

    def __init__(self) -> None:
        self.bitten = False
        self._heard = math.inf

    def hear(self, now: float) -> bool:
        """A good packet came; whether it ends a silence that was too long."""
        self._heard = now
        was, self.bitten = self.bitten, False
        return was

    def bites(self, now: float, limit: float) -> bool:
        """Whether the silence has just become too long; a `limit` (s) of 0 never does."""
        if self.bitten or not limit or now - self._heard < limit - _GRACE:
            return False
        self.bitten = True
        return True


class Charge(Enum):
    """What the battery guard has to say."""

    LOW = auto()  #: sound the alarm, once
    EMPTY = auto()  #: end the session


class BatteryGuard:
    """Watches the voltage during a session."""

    def __init__(self) -> None:
        self._warned = False
        self._empty_since: float | None = None

    def check(self, volts: float, alarm: float, shutdown: float, now: float) -> Charge | None:
        """Look at the voltage; `alarm` and `shutdown` in V. A dip of less than a second empties nothing."""
        if volts >= shutdown:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since >= _CUT_OFF_DELAY - _GRACE:
            return Charge.EMPTY
        if volts < alarm and not self._warned:
            self._warned = True
            return Charge.LOW
        return None
