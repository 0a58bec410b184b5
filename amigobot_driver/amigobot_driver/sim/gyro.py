# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The gyro of an AmigoBot-SH: raw samples of a sensor that drifts (docs/protocol 5.9)."""

from __future__ import annotations

import math
import random
from collections import deque

from ..profiles import Physics
from ..protocol import Gyro, GyroSample
from .body import SimulatedBody
from .faults import FaultInjector

_FULL_SCALE = 1023
#: counts: center, noise of each sample, and drift of the center in a second
_CENTER, _NOISE, _DRIFT = 512.0, 0.4, 0.02
_TEMPERATURE = 40


class GyroSensor:
    """Measures the true turn rate of the body, wheel slip included, while it is on."""

    def __init__(self, physics: Physics, body: SimulatedBody, fault_injector: FaultInjector, seed: str) -> None:
        """Start switched off.

        Args:
            physics: Scale (of counts below the center, counter-clockwise) and period of the samples.
            body: Its turns are measured.
            fault_injector: Its faults `dead_gyro` and `gyro_offset` apply.
            seed: Seed of noise and drift.
        """
        self._period, self._scale = physics.gyro_period, physics.gyro_scale
        self._body, self._fault_injector = body, fault_injector
        self._random = random.Random(f"{seed}/gyro")
        self._center = _CENTER + self._random.uniform(-4.0, 4.0)
        self.restart()

    def restart(self) -> None:
        """Switch off."""
        self.on = False
        self._due = -math.inf
        # Time of the last two samples in s, and the angle of the body at that time in rad.
        self._before: deque[tuple[float, float]] = deque(maxlen=2)
        self._samples: list[GyroSample] = []

    def switch(self, on: bool) -> None:
        """Execute GYRO: switch the sensor on or off."""
        if on != self.on:
            self.restart()
            self.on = on

    def step(self, now: float) -> None:
        """Take a sample if one is due at `now` (s)."""
        faults = self._fault_injector.faults
        if not self.on or faults.dead_gyro or now < self._due - 1e-9:
            return
        self._due = (self._due if self._due > now - self._period else now) + self._period
        self._center += self._random.gauss(0.0, _DRIFT * math.sqrt(self._period))
        # The sensor's low-pass filter: the mean over two periods, a whole number of control cycles.
        turned = self._body.turned
        # The sensor itself is never off: its first sample knows the motion before it.
        start = now - self._period, turned - self._body.turn_rate * self._period
        then, before = self._before[0] if self._before else start
        self._before.append((now, turned))
        counts = self._center - (turned - before) / (now - then) / self._scale
        counts += self._random.gauss(0.0, _NOISE) + faults.gyro_offset
        rate = max(0, min(_FULL_SCALE, round(counts)))
        self._samples.append(GyroSample(rate=rate, temperature=_TEMPERATURE))

    @property
    def sends(self) -> bool:
        """Whether it has packets to send."""
        return self.on and not self._fault_injector.faults.dead_gyro

    def packet(self) -> Gyro:
        """Return GYROpac with the samples since the last call."""
        samples, self._samples = self._samples, []
        return Gyro(samples=tuple(samples))
