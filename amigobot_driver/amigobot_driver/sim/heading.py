# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sensors of turns: the gyro of an AmigoBot-SH (docs/protocol 5.9), and the TCM2 compass of a Pioneer (5.10)."""

from __future__ import annotations

import math
import random
from collections import deque

from ..protocol import Compass, Gyro, GyroSample
from .body import SimulatedBody

_FULL_SCALE = 1023  # counts
_CENTER = 512.0  # counts at rest
_NOISE = 0.4  # counts, standard deviation of a sample
_DRIFT = 0.02  # counts, standard deviation of the center's change in a second
_GYRO_TEMPERATURE = 40  # counts
_HORIZONTAL = 20.0  # uT, horizontal component of the earth's magnetic field in central Europe
_DOWN = 44.0  # uT, its downward component
_COMPASS_TEMPERATURE = 25.0  # deg C


class GyroSensor:
    """Measures the true turn rate of the body, wheel slip included, while it is on; its center drifts."""

    def __init__(self, body: SimulatedBody) -> None:
        self._body, physics = body, body.profile.physics
        #: s between two samples; rad/s per count below the center
        self._period, self._scale = physics.gyro_period, physics.gyro_scale
        self._random = random.Random(f"{body.seed}/gyro")
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
        faults = self._body.faults
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
        self._samples.append(GyroSample(rate=rate, temperature=_GYRO_TEMPERATURE))

    @property
    def sends(self) -> bool:
        """Whether it has packets to send."""
        return self.on and not self._body.faults.dead_gyro

    def packet(self) -> Gyro:
        """Return GYROpac with the samples since the last call."""
        samples, self._samples = self._samples, []
        return Gyro(samples=tuple(samples))


class CompassSensor:
    """Measures the true heading. North is the world's y axis; the robot is level."""

    def __init__(self, body: SimulatedBody) -> None:
        self._body = body
        self.mode = 0  #: TCM2's argument: 0 off, 1 in the SIP, 2 one packet, 3 a packet per cycle

    def switch(self, mode: int) -> None:
        """Execute TCM2.

        Args:
            mode: 0 to 3; other values (4 to 7 are calibration) are ignored.
        """
        if 0 <= mode <= 3:
            self.mode = mode

    @property
    def heading(self) -> float:
        """Heading in deg, clockwise from north, 0 to 360."""
        return (90.0 - math.degrees(self._body.pose.heading)) % 360.0

    @property
    def byte(self) -> int:
        """Heading in the SIP, in 2 degrees from 1 to 180; 0 if the SIP does not show it."""
        return round(self.heading / 2) or 180 if self.mode == 1 else 0

    def packet(self) -> Compass:
        """Return TCM2pac; a single requested packet switches the sensor off."""
        self.mode = 3 if self.mode == 3 else 0
        north = math.radians(self.heading)
        return Compass(
            heading=round(self.heading * 10) % 3600,
            pitch=0,
            roll=0,
            mag_x=round(100 * _HORIZONTAL * math.cos(north)),
            mag_y=-round(100 * _HORIZONTAL * math.sin(north)),
            mag_z=round(100 * _DOWN),
            temperature=round(10 * _COMPASS_TEMPERATURE),
            error=0,
            calibration_h=0,
            calibration_v=0,
            calibration_m=0,
        )
