"""The gyro of an AmigoBot-SH or an AROS robot: GYROpacs to a turn rate that is zero at rest (docs/protocol.md 5.9).

A sample below the sensor's centre is counter-clockwise. The centre is about 512, drifts, and is measured whenever the
robot stands. What the packets do not tell is assumed here, and added to the variance that is published.
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
#: Samples at rest that make a centre: more than a second of them, each within this share of their mean (ARIA).
ENOUGH, STEADY = 41, 0.005
#: Where the centre is while no rest has shown it, and its standard deviation, counts.
_CENTRE, _CENTRE_ERROR = 512.0, 5.0
#: Assumed: counts that the centre wanders in a root second, standard deviation; and of the scale, a share of the rate.
_WANDER, _SCALE_ERROR = 0.05, 0.03
#: Variance of a sample, counts squared, that rounding alone makes.
_ROUNDING = 1 / 12


class Gyroscope(Component):
    """Takes GYROpacs and, to know when the robot is at rest, SIPs. Nothing is published while `enabled` is False."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.enabled = True
        self.centre = _CENTRE  #: counts
        self.calibrated = -math.inf  #: when the centre was last measured
        self._noise = _ROUNDING  #: variance of one sample, counts squared
        self._doubt = _CENTRE_ERROR**2  #: variance of the centre when it was last measured, counts squared
        self._at_rest: deque[int] = deque(maxlen=ENOUGH)
        self._unsure: list[int] = []  #: samples since the last SIP: of a time that the next one tells of
        self._stood = False
        self._emit = context.emit
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Gyro, self._on_gyro)

    def on_session_start(self, now: float) -> None:
        self._at_rest.clear()
        self._unsure.clear()
        self._stood = False

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        stands = not sip.moving
        if stands and self._stood:
            self._at_rest.extend(self._unsure)
            if len(self._at_rest) == ENOUGH:
                self._calibrate(now)
        else:
            self._at_rest.clear()
        self._unsure.clear()
        self._stood = stands

    def _on_gyro(self, packet: Gyro, stamp: float, now: float) -> None:
        """Emit the rate of each sample; the packet was sent at `stamp` (s), where the samples end.

        Not their mean: a filter would use it for the time after them, a tenth of a second late.
        """
        rates = [sample.rate for sample in packet.samples]
        if not (rates and self.enabled):
            return
        self._unsure = (self._unsure + rates)[-ENOUGH:]
        # One variance for all: if a sample's own noise decided its weight, a filter would favor the small ones.
        variance = self._variance((self.centre - sum(rates) / len(rates)) * RATE, stamp)
        for place, counts in enumerate(rates):
            middle = stamp - (len(rates) - place - 0.5) * PERIOD
            self._emit(TurnRate(middle, (self.centre - counts) * RATE, variance))

    def _calibrate(self, now: float) -> None:
        """Let the samples of a whole rest correct the centre, as far as they are better than what is known of it.

        ARIA takes the mean of the last 41 samples alone. A rest has more of them, and the centre of a minute ago counts
        too: a Kalman filter of one state. If a person turns the robot by hand, the samples are not steady.
        """
        mean = sum(self._at_rest) / ENOUGH
        if any(abs(sample - mean) > STEADY * mean for sample in self._at_rest):
            return
        self._noise = _ROUNDING + sum((sample - mean) ** 2 for sample in self._at_rest) / (ENOUGH - 1)
        before, measured = self._centre_variance(now), self._noise / ENOUGH
        share = before / (before + measured) if math.isfinite(self.calibrated) else 1.0
        self.centre += share * (mean - self.centre)
        self.calibrated, self._doubt = now, share * measured
        self._at_rest.clear()

    def _centre_variance(self, now: float) -> float:
        """How unsure the centre is, counts squared: since it was measured it has wandered."""
        return self._doubt + (_WANDER**2 * max(0.0, now - self.calibrated) if math.isfinite(self.calibrated) else 0.0)

    def _variance(self, rate: float, stamp: float) -> float:
        """(rad/s)^2 of a sample: its noise, the centre's error, the scale's."""
        centre = self._centre_variance(stamp)
        return (self._noise + centre) * RATE**2 + (_SCALE_ERROR * rate) ** 2
