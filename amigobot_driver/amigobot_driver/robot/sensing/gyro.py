# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The gyro of an AmigoBot-SH or an AROS robot: GYROpacs to a turn rate that is zero at rest (docs/protocol 5.9).

A sample below the sensor's center is counter-clockwise. The center is about 512, drifts, and is measured whenever the
robot is at rest. Errors that the packets do not show are assumed here, and added to the published variance.
"""

from __future__ import annotations

import math
from collections import deque

from ...protocol import Gyro, Sip
from ..component import Component, Context
from ..events import TurnRate

#: s between two samples.
PERIOD = 0.025
#: rad/s for one count: 5 V are 1023, 300 deg/s are 2.5 V, and ARIA's GyroScaler.
RATE = math.radians(5 / 1023 * 300 / 2.5 * 1.626)
ENOUGH = 41  # samples at rest that give a center: more than a second of them (ARIA)
STEADY = 0.005  # largest deviation of such a sample / their mean (ARIA)
_CENTER = 512.0  # counts, before the first calibration
_CENTER_ERROR = 5.0  # counts, its stdev
_DRIFT = 0.05  # counts / sqrt(s), assumed stdev of the center
_SCALE_ERROR = 0.03  # stdev / rate, assumed
#: s between the stamps of two samples at least.
_MIN_STEP = 1e-6
#: Variance of a sample by rounding, counts squared.
_ROUNDING = 1 / 12


class Gyroscope(Component):
    """Converts GYROpacs; SIPs show when the robot is at rest. Nothing is published while `enabled` is False."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.enabled = True
        self.center = _CENTER  #: counts
        self.calibrated = -math.inf  #: s, when the center was last measured
        self._noise = _ROUNDING  #: variance of one sample, counts squared
        self._center_error = _CENTER_ERROR**2  #: variance of the center when it was measured, counts squared
        self._at_rest: deque[int] = deque(maxlen=ENOUGH)
        self._since_sip: list[int] = []  #: samples since the last SIP; the next one shows whether the robot was at rest
        self._was_at_rest = False
        self._last = -math.inf  #: s, stamp of the last sample
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Gyro, self._on_gyro)

    def on_session_start(self, now: float) -> None:
        """Begin to measure the center again."""
        self._at_rest.clear()
        self._since_sip.clear()
        self._was_at_rest = False

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        at_rest = not sip.moving
        if at_rest and self._was_at_rest:
            self._at_rest.extend(self._since_sip)
            if len(self._at_rest) == ENOUGH:
                self._calibrate(now)
        else:
            self._at_rest.clear()
        self._since_sip.clear()
        self._was_at_rest = at_rest

    def _on_gyro(self, packet: Gyro, stamp: float, now: float) -> None:
        """Emit the rate of each sample; the last one ends at `stamp` (s).

        Not their mean: a filter would use it a tenth of a second late.
        """
        rates = [sample.rate for sample in packet.samples]
        if not (rates and self.enabled):
            return
        self._since_sip = (self._since_sip + rates)[-ENOUGH:]
        # One variance for all: with a variance by its own rate, a filter would prefer small rates.
        variance = self._variance((self.center - sum(rates) / len(rates)) * RATE, stamp)
        for index, counts in enumerate(rates):
            middle = stamp - (len(rates) - index - 0.5) * PERIOD
            # Packets that arrive in a burst may get the same stamp; stamps must rise.
            self._last = max(middle, self._last + _MIN_STEP)
            self._context.emit(TurnRate(self._last, (self.center - counts) * RATE, variance))

    def _calibrate(self, now: float) -> None:
        """Take the mean of the samples of a rest as the center (ARIA), unless a person turns the robot meanwhile."""
        mean = sum(self._at_rest) / ENOUGH
        if all(abs(sample - mean) <= STEADY * mean for sample in self._at_rest):
            self._noise = _ROUNDING + sum((sample - mean) ** 2 for sample in self._at_rest) / (ENOUGH - 1)
            self.center, self.calibrated, self._center_error = mean, now, self._noise / ENOUGH
            self._at_rest.clear()

    def _variance(self, rate: float, stamp: float) -> float:
        """Return the variance of a sample in (rad/s)^2: its noise, the errors of center and scale."""
        elapsed = max(0.0, stamp - self.calibrated) if math.isfinite(self.calibrated) else 0.0
        center = self._center_error + _DRIFT**2 * elapsed
        return (self._noise + center) * RATE**2 + (_SCALE_ERROR * rate) ** 2
