# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: each array fires one ping at a time in the polling sequence, by ray casting (docs/protocol 8.6)."""

from __future__ import annotations

import itertools
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from ..profiles import SonarPose
from ..protocol import SipSonarReading
from .body import SimulatedBody
from .fields import number, option
from .world import Surroundings, first_hit

#: m, reported for no echo and for an echo out of range
NO_ECHO = 6.1
#: rays across a beam; the nearest echo counts
_RAYS = 5
#: sonars of one array, which fire in sequence; further arrays fire at the same time
_ARRAY = 8
#: newest pings that wait for a packet, which has room for these; sonars may go on without a session
_KEPT = 32
#: m, ranges are multiples of it: 8 us of sound (1000 readings of a real AmigoBot, docs/explanation/recordings.md)
_STEP = 0.0013872
#: length of a polling sequence: each sonar of an array twice
_MAX_SEQUENCE = 2 * _ARRAY


@dataclass(frozen=True, slots=True, kw_only=True)
class SonarModel:
    """Errors of a sonar."""

    noise: float = option(0.001, "m, standard deviation of a range", number(0, 1))
    grazing: float = option(
        math.radians(70),
        "rad, angle between beam and normal of a wall beyond which no echo returns",
        number(0, math.pi),
    )


class _SonarArray:
    """Up to eight sonars, of which one fires at a time."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers
        self._sequence: Sequence[int] = numbers
        self._order = itertools.cycle(numbers)
        self.on = False
        self.listening: SipSonarReading | None = None  #: the reading that is ready when the next sonar fires

    def switch(self, on: bool) -> bool:
        """Switch the array; a change restarts the sequence. Return whether it is a change."""
        if on == self.on:
            return False
        self.on, self._order, self.listening = on, itertools.cycle(self._sequence), None
        return True

    def set_sequence(self, numbers: Sequence[int]) -> None:
        """Fire the sonars in this order; a sequence without any sonar of this array changes nothing.

        Args:
            numbers: Sonar numbers from 0.
        """
        if own := tuple(number for number in numbers if number in self._numbers)[:_MAX_SEQUENCE]:
            self._sequence, self._order = own, itertools.cycle(own)

    def next_sonar(self) -> int | None:
        """Return the number of the sonar that fires next; None while the array is off, or without sonars."""
        return next(self._order, None) if self.on else None


class SonarRing:
    """Fires the sonars of the arrays that are on; each result is ready when the next sonar fires."""

    def __init__(self, body: SimulatedBody, model: SonarModel) -> None:
        """Start switched off.

        Args:
            body: Carries the sonars; its pose, world and faults count.
            model: Errors of the sonars.
        """
        self._body, self._model, self._sonar = body, model, body.profile.sonar
        mounts = (math.hypot(mount.x, mount.y) for mount in self._sonar.poses)
        self._surroundings = Surroundings(body.scene, self._sonar.max_range + max(mounts, default=0.0))
        self._random = random.Random(f"{body.seed}/sonar")
        self.restart()

    def restart(self) -> None:
        """Switch off, and restore the cycle of the profile and the default sequence."""
        self.cycle = self._sonar.cycle  #: time per ping, s
        numbers = range(len(self._sonar.poses))
        self._arrays = [_SonarArray(numbers[first : first + _ARRAY]) for first in range(0, len(numbers) or 1, _ARRAY)]
        self._due = -math.inf
        self._done: deque[SipSonarReading] = deque(maxlen=_KEPT)
        self._ranges: dict[int, float] = {}  #: m, the newest range of each sonar, which a stuck one repeats

    @property
    def on(self) -> bool:
        """Whether any array fires."""
        return any(array.on for array in self._arrays)

    @property
    def arrays_on(self) -> int:
        """The arrays that fire, one bit each."""
        return sum(array.on << number for number, array in enumerate(self._arrays))

    def switch(self, on: bool, only: int = 0) -> None:
        """Execute SONAR; a change restarts the sequence.

        Args:
            on: The new state.
            only: Number of the array from 1; 0 for all.
        """
        was_on = self.on
        changes = [array.switch(on) for number, array in enumerate(self._arrays, 1) if only in (0, number)]
        if any(changes) and not (was_on and self.on):
            self._due = -math.inf

    def set_sequence(self, sequence: bytes) -> None:
        """Execute POLLING. An empty sequence switches the ring off and keeps the previous sequence.

        Args:
            sequence: Sonar numbers from 1, as bytes or digits; numbers that do not exist are ignored.
        """
        if not sequence:
            self.switch(False)
            return
        numbers = [code - (0x30 if 0x31 <= code <= 0x39 else 0) - 1 for code in sequence]
        for array in self._arrays:
            array.set_sequence(numbers)

    def take(self) -> tuple[SipSonarReading, ...]:
        """Return the readings that were finished since the last call."""
        done = tuple(self._done)
        self._done.clear()
        return done

    def step(self, now: float) -> None:
        """Fire if it is due at `now` (s)."""
        if now < self._due - 1e-9 or not self.on:
            return
        # A late start does not shorten the cycles after it.
        self._due = (self._due if self._due > now - self.cycle else now) + self.cycle
        for array in self._arrays:
            self._fire(array)

    def _fire(self, array: _SonarArray) -> None:
        if array.listening is not None:
            self._done.append(array.listening)
            array.listening = None
        number = array.next_sonar()
        if number is not None and number not in self._body.faults.mute_sonars:
            distance = round(self._measure(number) / self._body.profile.units.range)
            array.listening = SipSonarReading(number=number, range=distance)

    def _measure(self, number: int) -> float:
        faults = self._body.faults
        if number in faults.dead_sonars:
            return NO_ECHO
        if number not in faults.stuck_sonars or number not in self._ranges:
            self._ranges[number] = self._detect(number)
        return self._ranges[number]

    def _detect(self, number: int) -> float:
        distance = self._body.injector.with_cross_talk(min(self._echo(self._sonar.poses[number]), NO_ECHO))
        if distance >= NO_ECHO:
            return NO_ECHO
        distance += self._random.gauss(0.0, self._model.noise)
        distance = round(distance / _STEP) * _STEP
        return distance if self._sonar.min_range <= distance <= self._sonar.max_range else NO_ECHO

    def _echo(self, mount: SonarPose) -> float:
        """Return the distance of the nearest surface in the beam that reflects the sound, m; inf for none."""
        pose = self._body.pose
        x, y = pose.place(mount.x, mount.y)
        heading, half = pose.heading + mount.heading, self._sonar.field_of_view / 2
        reach, nearest = self._sonar.max_range, math.inf
        segments = self._surroundings.near(pose.x, pose.y)
        facing = math.cos(self._model.grazing)
        for ray in range(_RAYS):
            angle = heading - half + 2 * half * ray / (_RAYS - 1)
            distance, wall = first_hit(segments, x, y, angle)
            if wall is not None and distance < nearest and abs(math.sin(angle - wall.angle)) >= facing:
                nearest = distance
        return nearest if nearest <= reach else math.inf
