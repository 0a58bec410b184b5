"""The gyro of an AmigoBot-SH or an AROS robot: GYROpacs to a turn rate that is zero at rest (PROTOCOL 5.9).

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
        self.enabled = True
        self.centre = _CENTRE  #: counts
        self.calibrated = -math.inf  #: when the centre was last measured
        self._noise = _ROUNDING  #: variance of one sample, counts squared
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
            self._calibrate(now)
        else:
            self._at_rest.clear()
        self._unsure.clear()
        self._stood = stands

    def _on_gyro(self, packet: Gyro, stamp: float, now: float) -> None:
        """The packet was sent at `stamp`: its samples end there."""
        rates = [sample.rate for sample in packet.samples]
        if not (rates and self.enabled):
            return
        self._unsure = (self._unsure + rates)[-ENOUGH:]
        rate = -(sum(rates) / len(rates) - self.centre) * RATE
        middle = stamp - len(rates) * PERIOD / 2
        self._emit(TurnRate(middle, rate, self._variance(rate, len(rates), stamp)))

    def _calibrate(self, now: float) -> None:
        """ARIA's rule, and the noise besides. Somebody may be turning the robot by hand: then it is not steady."""
        if len(self._at_rest) < ENOUGH:
            return
        mean = sum(self._at_rest) / ENOUGH
        if all(abs(sample - mean) <= STEADY * mean for sample in self._at_rest):
            self.centre, self.calibrated = mean, now
            self._noise = _ROUNDING + sum((sample - mean) ** 2 for sample in self._at_rest) / (ENOUGH - 1)

    def _variance(self, rate: float, samples: int, stamp: float) -> float:
        """(rad/s)^2 of a mean over so many samples: their noise, the centre's error, the scale's."""
        if math.isinf(self.calibrated):
            centre = _CENTRE_ERROR**2
        else:
            centre = self._noise / ENOUGH + _WANDER**2 * max(0.0, stamp - self.calibrated)
        return (self._noise / samples + centre) * RATE**2 + (_SCALE_ERROR * rate) ** 2
