# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Battery voltage, smoothed and with hysteresis so that a start of the motors raises no alarm, and time left."""

from __future__ import annotations

import math
from collections import deque
from statistics import linear_regression

from ...profiles import Battery
from ..events import BatteryLevel

#: Time in s over which the voltage is averaged.
_TIME_CONSTANT = 3.0
#: Voltage in V above a threshold at which its alarm ends.
_HYSTERESIS = 0.3
#: Largest difference in V between two readings. A reading that differs by more counts only if the next one agrees: the
#: checksum does not detect all damage.
_LEAP = 3.0
#: Voltage in V above the cut-off at which the level becomes critical.
_CRITICAL_MARGIN = 0.5

#: Time in s of the readings in one point of the trend, of the shortest usable trend, and of the longest trend.
_BIN, _SHORTEST, _LONGEST = 30.0, 300.0, 1200.0
#: Time in s without readings after which a new trend begins.
_FORGET = 120.0
#: Least fall of the voltage in V over the trend: more than a step of the reading, 0.1 V.
_FALL = 0.15
#: Share of the slope that each half of the trend must have: a load that was switched on affects one half only.
_PERSISTENT = 1 / 3
#: Rise in V above the lowest point of the trend that means another battery, or charging.
_CHARGED = 0.4
#: Points from the newest one back to that with which it is compared (2 min), and the rise in V that means charging.
_RECENT, _RISE = 4, 0.03
#: Longest estimate in min that is reported.
_MAX_MINUTES = 240.0


class Countdown:
    """Estimates the remaining time from the trend of the voltage.

    At a constant load the charge falls linearly. Voltages are converted to charges by the battery's curve; a straight
    line through the last 5 to 20 minutes gives the time at which the charge is 0. A lead-acid battery is empty at the
    lowest voltage of the curve and falls below the robot's cut-off soon after that.
    """

    def __init__(self, battery: Battery) -> None:
        self._battery = battery
        self._points: deque[tuple[float, float]] = deque()  #: s, V: the middle of each bin and its mean
        self._sum, self._count, self._begin = 0.0, 0, math.nan
        self._stamp = math.nan

    @property
    def minutes(self) -> float:
        """Time left in min; NaN while there is no clear trend."""
        # Each half needs two points for a line.
        if len(self._points) < 4 or self._points[-1][0] - self._points[0][0] < _SHORTEST:
            return math.nan
        if self._points[-1][1] > self._points[max(-1 - _RECENT, -len(self._points))][1] + _RISE:
            return math.nan
        times, volts = zip(*((time - self._stamp, volts) for time, volts in self._points), strict=True)
        if -linear_regression(times, volts).slope * (times[-1] - times[0]) < _FALL:
            return math.nan
        charges, middle = list(map(self._battery.charge, volts)), len(times) // 2
        slope, charge = linear_regression(times, charges)
        halves = [linear_regression(times[part], charges[part]) for part in (slice(middle), slice(middle, None))]
        if slope >= 0.0 or max(half.slope for half in halves) > _PERSISTENT * slope:
            return math.nan
        left = -charge / slope / 60
        return max(0.0, left) if left <= _MAX_MINUTES else math.nan

    def update(self, volts: float, stamp: float) -> None:
        """Add a reading (V) of the time `stamp` (s)."""
        if not 0.0 <= stamp - self._stamp <= _FORGET:
            self._forget(stamp)
        if stamp - self._begin >= _BIN:
            self._points.append(((self._begin + self._stamp) / 2, self._sum / self._count))
            self._sum, self._count, self._begin = 0.0, 0, stamp
            self._tidy(stamp)
        self._stamp = stamp
        self._sum += volts
        self._count += 1

    def _forget(self, stamp: float) -> None:
        self._points.clear()
        self._sum, self._count, self._begin = 0.0, 0, stamp

    def _tidy(self, stamp: float) -> None:
        while self._points[0][0] < stamp - _LONGEST:
            self._points.popleft()
        if self._points[-1][1] > min(volts for _, volts in self._points) + _CHARGED:
            self._points = deque([self._points[-1]])


class BatteryMonitor:
    """Monitors the battery of one robot; continues the trend of `before` if that has the same kind of battery."""

    def __init__(self, battery: Battery, before: BatteryMonitor | None = None) -> None:
        self.battery = battery
        self.voltage = math.nan  #: V, smoothed
        self.level = BatteryLevel.GOOD
        self._stamp = math.nan
        self._reading = math.nan  #: V, the last one
        self._countdown: Countdown = Countdown(battery)
        if before and before.battery == battery:
            self._countdown = before._countdown

    @property
    def charge(self) -> float:
        """Charge from 0 to 1, estimated from the voltage; NaN before the first packet."""
        return math.nan if math.isnan(self.voltage) else self.battery.charge(self.voltage)

    @property
    def minutes_left(self) -> float:
        """Time in min until the robot switches itself off; NaN while the voltage has no clear trend."""
        return self._countdown.minutes

    def update(self, volts: float, stamp: float, charging: bool | None = None) -> bool:
        """Add a reading; one that leaps counts when the next one agrees.

        Args:
            volts: Voltage in V.
            stamp: Time in s.
            charging: Whether the robot reports that it charges; None: it does not report it.

        Returns:
            Whether the level has changed.
        """
        leaps, self._reading = abs(volts - self._reading) > _LEAP, volts
        if leaps:
            return False
        if not abs(volts - self.voltage) <= _LEAP:  # the first one, or the first one was damaged
            self.voltage = volts
        else:
            share = 1 - math.exp(-max(stamp - self._stamp, 0.0) / _TIME_CONSTANT)
            self.voltage += share * (volts - self.voltage)
        self._stamp = stamp
        if charging:
            self._countdown = Countdown(self.battery)
        else:
            self._countdown.update(volts, stamp)
        before, self.level = self.level, self._judge()
        return self.level is not before

    def _judge(self) -> BatteryLevel:
        for level, threshold in (
            (BatteryLevel.CRITICAL, self.battery.cutoff + _CRITICAL_MARGIN),
            (BatteryLevel.LOW, self.battery.low),
        ):
            margin = _HYSTERESIS if self.level.value >= level.value else 0.0
            if self.voltage < threshold + margin:
                return level
        return BatteryLevel.GOOD
