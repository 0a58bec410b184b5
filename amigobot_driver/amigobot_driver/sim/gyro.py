"""The gyro of an AmigoBot-SH: raw samples of a sensor that drifts (docs/protocol.md 5.9)."""

from __future__ import annotations

import math
import random
from collections import deque

from ..protocol import Gyro, GyroSample
from .body import Body

#: s between samples
_PERIOD = 0.025
#: deg/s for one count less: below the centre is counter-clockwise
_SCALE = 0.954
_FULL_SCALE = 1023
#: counts: where the sensor rests, how much each sample errs, how far the rest wanders in a second
_CENTRE, _NOISE, _DRIFT = 512.0, 0.4, 0.02
_TEMPERATURE = 40


class GyroSensor:
    """Samples how fast the body turns on the floor, whatever its wheels do, while it is on."""

    def __init__(self, body: Body, seed: str) -> None:
        self._body = body
        self._random = random.Random(f"{seed}/gyro")
        self._centre = _CENTRE + self._random.uniform(-4.0, 4.0)
        self.restart()

    def restart(self) -> None:
        """Off."""
        self.on = False
        self._due = -math.inf
        # When the last two samples were taken, s, and how far the body had turned then, rad.
        self._before: deque[tuple[float, float]] = deque(maxlen=2)
        self._samples: list[GyroSample] = []

    def switch(self, on: bool) -> None:
        """GYRO."""
        if on != self.on:
            self.restart()
            self.on = on

    def step(self, now: float) -> None:
        """Sample when it is time; `now` in s."""
        if not self.on or now < self._due - 1e-9:
            return
        self._due = (self._due if self._due > now - _PERIOD else now) + _PERIOD
        self._centre += self._random.gauss(0.0, _DRIFT * math.sqrt(_PERIOD))
        # The mean over two periods: a sensor's own low pass, and a whole number of the simulation's ticks.
        turned = self._body.turned
        then, before = self._before[0] if self._before else (now - _PERIOD, turned)
        self._before.append((now, turned))
        counts = self._centre - math.degrees(turned - before) / (now - then) / _SCALE
        counts += self._random.gauss(0.0, _NOISE)
        rate = max(0, min(_FULL_SCALE, round(counts)))
        self._samples.append(GyroSample(rate=rate, temperature=_TEMPERATURE))

    def packet(self) -> Gyro:
        """GYROpac with the samples since the last one."""
        samples, self._samples = self._samples, []
        return Gyro(samples=tuple(samples))
