"""Battery voltage over time: smoothed, judged with hysteresis so that a start of the motors raises no alarm."""

from __future__ import annotations

import math
from enum import Enum

from ..profiles import Battery

#: s over which the voltage is averaged, and V above a threshold before an alarm ends.
_TIME_CONSTANT = 3.0
_HYSTERESIS = 0.3


class BatteryLevel(Enum):
    """How much is left, in three words."""

    GOOD = 0
    LOW = 1
    CRITICAL = 2


class BatteryMonitor:
    """Follows the battery of one robot."""

    def __init__(self, battery: Battery) -> None:
        self.battery = battery
        self.voltage = math.nan  #: V, smoothed
        self.level = BatteryLevel.GOOD
        self._stamp = math.nan

    @property
    def charge(self) -> float:
        """The share of charge left, 0 to 1, guessed from the voltage; NaN before the first packet."""
        return math.nan if math.isnan(self.voltage) else self.battery.charge(self.voltage)

    def update(self, volts: float, stamp: float) -> bool:
        """Take a reading (V, s); True when the level has changed."""
        if math.isnan(self.voltage):
            self.voltage = volts
        else:
            share = 1 - math.exp(-max(stamp - self._stamp, 0.0) / _TIME_CONSTANT)
            self.voltage += share * (volts - self.voltage)
        self._stamp = stamp
        before, self.level = self.level, self._judge()
        return self.level is not before

    def _judge(self) -> BatteryLevel:
        # Warn half a volt before the robot switches itself off.
        for level, threshold in (
            (BatteryLevel.CRITICAL, self.battery.cutoff + 0.5),
            (BatteryLevel.LOW, self.battery.low),
        ):
            margin = _HYSTERESIS if self.level.value >= level.value else 0.0
            if self.voltage < threshold + margin:
                return level
        return BatteryLevel.GOOD
