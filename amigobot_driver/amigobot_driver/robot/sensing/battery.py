# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Battery voltage, smoothed and with hysteresis so that a start of the motors raises no alarm."""

from __future__ import annotations

import math

from ...profiles import Battery
from ..events import BatteryLevel

#: Time in s over which the voltage is averaged.
_TIME_CONSTANT = 3.0
#: Voltage in V above a threshold at which its alarm ends.
_HYSTERESIS = 0.3
#: Largest difference in V that one reading counts for: the checksum does not detect all damage.
_LEAP = 3.0
#: Voltage in V above the cut-off at which the level becomes critical.
_CRITICAL_MARGIN = 0.5


class BatteryMonitor:
    """Monitors the battery of one robot."""

    def __init__(self, battery: Battery) -> None:
        self.battery = battery
        self.voltage = math.nan  #: V, smoothed
        self.level = BatteryLevel.GOOD
        self._stamp = math.nan

    @property
    def charge(self) -> float:
        """Charge from 0 to 1, estimated from the voltage; NaN before the first packet."""
        return math.nan if math.isnan(self.voltage) else self.battery.charge(self.voltage)

    def update(self, volts: float, stamp: float) -> bool:
        """Add a reading.

        Args:
            volts: Voltage in V.
            stamp: Time in s.

        Returns:
            Whether the level has changed.
        """
        if math.isnan(self.voltage):
            self.voltage = volts
        else:
            share = 1 - math.exp(-max(stamp - self._stamp, 0.0) / _TIME_CONSTANT)
            self.voltage += share * max(-_LEAP, min(_LEAP, volts - self.voltage))
        self._stamp = stamp
        before, self.level = self.level, self._judge()
        return self.level is not before

    def _judge(self) -> BatteryLevel:
        critical, low = self.battery.cutoff + _CRITICAL_MARGIN, self.battery.low
        if self.voltage < critical + _HYSTERESIS * (self.level is BatteryLevel.CRITICAL):
            return BatteryLevel.CRITICAL
        if self.voltage < low + _HYSTERESIS * (self.level is not BatteryLevel.GOOD):
            return BatteryLevel.LOW
        return BatteryLevel.GOOD
