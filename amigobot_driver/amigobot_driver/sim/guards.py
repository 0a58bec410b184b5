# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a controller supervises by itself: the client's silence and the battery voltage (docs/protocol 8.5)."""

from __future__ import annotations

import math
from enum import Enum, auto

#: s for which the voltage must stay below the limit before the robot shuts down
_SHUTDOWN_DELAY = 1.0
#: s by which a time-out may be early: rounding would otherwise delay it by a whole tick
_GRACE = 0.005


class Watchdog:
    """Expires when the client has sent nothing for too long; starts with the first packet."""

    def __init__(self) -> None:
        self.expired = False
        self._fed_at = math.inf

    def feed(self, now: float) -> bool:
        """Restart the time-out, because a good packet arrived.

        Args:
            now: Time in s.

        Returns:
            Whether the watchdog had expired.
        """
        self._fed_at = now
        was, self.expired = self.expired, False
        return was

    def check(self, now: float, limit: float) -> bool:
        """Check the time-out.

        Args:
            now: Time in s.
            limit: Silence in s that is allowed; 0 allows any.

        Returns:
            Whether the watchdog expires now; False if it had expired before.
        """
        if self.expired or not limit or now - self._fed_at < limit - _GRACE:
            return False
        self.expired = True
        return True


class BatteryAlarm(Enum):
    """What the battery guard reports."""

    LOW = auto()  #: sound the alarm, once
    EMPTY = auto()  #: end the session


class BatteryGuard:
    """Supervises the battery voltage of one session."""

    def __init__(self) -> None:
        self._warned = False
        self._empty_since: float | None = None

    def check(self, volts: float, alarm: float, shutdown: float, now: float) -> BatteryAlarm | None:
        """Check the voltage; a dip of less than a second is ignored.

        Args:
            volts: Battery voltage in V.
            alarm: Voltage in V below which the alarm sounds.
            shutdown: Voltage in V below which the battery is empty.
            now: Time in s.

        Returns:
            LOW the first time the voltage is below `alarm`, EMPTY while it has been below `shutdown` for a second,
            else None.
        """
        if volts >= shutdown:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since >= _SHUTDOWN_DELAY - _GRACE:
            return BatteryAlarm.EMPTY
        if volts < alarm and not self._warned:
            self._warned = True
            return BatteryAlarm.LOW
        return None
