"""The sonars: each array fires one ping at a time in the polling sequence, by ray casting (docs/protocol.md 8.6)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..profiles import Profile, SonarPose
from .body import Body
from .faults import FaultInjector
from .world import World

#: m, what the firmware reports for no echo and for an echo from too near alike
NO_ECHO = 6.1
#: rays across a beam; the nearest echo wins
_RAYS = 5
#: sonars that fire in turn; further ones are another array, which fires at the same time
_ARRAY = 8
#: the sequence may name each sonar of an array twice
_MAX_SEQUENCE = 2 * _ARRAY
#: ms that SONARCYCLE allows a ping to take
_SHORTEST_CYCLE, _LONGEST_CYCLE = 2, 120


def _number(default: float, high: float, help: str) -> Any:
    return field(default=default, metadata={"range": (0.0, high), "help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class SonarModel:
    """How a transducer errs."""

    noise: float = _number(0.003, 1.0, "m, standard deviation of a range")
    relative_noise: float = _number(0.002, 1.0, "the same, as a share of the range")
    grazing: float = _number(
        math.radians(70), math.pi, "rad from its normal beyond which a wall mirrors the sound away"
    )


@dataclass(frozen=True, slots=True)
class Ping:
    """A finished measurement: sonar number from 0, range in m."""

    number: int
    range: float


class _Array:
    """Eight sonars, or what there is of them, of which one fires at a time."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers
        self._sequence = tuple(numbers)
        self._position = 0
        self.on = False
        self.listening: Ping | None = None

    def switch(self, on: bool) -> bool:
        """Whether that is a change; then the sequence begins anew."""
        changed = on != self.on
        if changed:
            self.on, self._position, self.listening = on, 0, None
        return changed

    def set_sequence(self, numbers: Sequence[int]) -> None:
        """Fire those of these numbers that it has; without any of its own it goes on as before."""
        if own := tuple(number for number in numbers if number in self._numbers)[:_MAX_SEQUENCE]:
            self._sequence, self._position = own, 0

    def next(self) -> int | None:
        """The number whose turn it is."""
        if not self._sequence:
            return None
        self._position += 1
        return self._sequence[(self._position - 1) % len(self._sequence)]


class SonarRing:
    """Fires the sonars of the arrays that are on; each result is ready when the next one fires."""

    def __init__(
        self, profile: Profile, body: Body, world: World, model: SonarModel, fault_injector: FaultInjector, seed: str
    ) -> None:
        self._sonar = profile.sonar
        self._model = model
        self._fault_injector = fault_injector
        self._body = body
        self._world = world
        self._random = random.Random(f"{seed}/sonar")
        self.restart(profile.sonar.cycle)

    def restart(self, cycle: float) -> None:
        """Back to the default sequence, off; `cycle` s a ping."""
        self.cycle = cycle
        numbers = range(len(self._sonar.poses))
        self._arrays = [_Array(numbers[first : first + _ARRAY]) for first in range(0, len(numbers) or 1, _ARRAY)]
        self._due = -math.inf
        self._done: list[Ping] = []
        self._stuck_at: dict[int, float] = {}  #: m that a stuck sonar repeats

    @property
    def on(self) -> bool:
        """Whether anything fires."""
        return any(array.on for array in self._arrays)

    @property
    def arrays_on(self) -> int:
        """A bit for each array."""
        return sum(array.on << number for number, array in enumerate(self._arrays))

    def switch(self, on: bool, only: int = 0) -> None:
        """SONAR: all arrays, or `only` one of them, counted from 1. The sequence begins anew."""
        was_on = self.on
        changes = [array.switch(on) for number, array in enumerate(self._arrays, 1) if only in (0, number)]
        if any(changes) and not (was_on and self.on):
            self._due = -math.inf

    def set_cycle(self, milliseconds: int) -> None:
        """SONARCYCLE; out of range it changes nothing."""
        if _SHORTEST_CYCLE <= milliseconds <= _LONGEST_CYCLE:
            self.cycle = milliseconds / 1000

    def set_sequence(self, sequence: bytes) -> None:
        """POLLING: sonar numbers from 1, as bytes or digits; numbers that do not exist are passed over.

        An empty sequence switches the ring off and keeps the one before.
        """
        if not sequence:
            self.switch(False)
            return
        numbers = [code - (0x30 if 0x31 <= code <= 0x39 else 0) - 1 for code in sequence]
        for array in self._arrays:
            array.set_sequence(numbers)

    def take(self) -> list[Ping]:
        """The pings finished since the last time."""
        done, self._done = self._done, []
        return done

    def step(self, now: float) -> None:
        """Fire when it is time; `now` in s."""
        if not self.on or now < self._due - 1e-9:
            return
        # A late start does not hurry the pings after it.
        self._due = (self._due if self._due > now - self.cycle else now) + self.cycle
        for array in self._arrays:
            self._fire(array)

    def _fire(self, array: _Array) -> None:
        if array.listening is not None:
            self._done.append(array.listening)
            array.listening = None
        number = array.next() if array.on else None
        if number is not None and number not in self._fault_injector.faults.mute_sonars:
            array.listening = Ping(number, self._measure(number))

    def _measure(self, number: int) -> float:
        faults = self._fault_injector.faults
        if number in faults.dead_sonars:
            return NO_ECHO
        if number not in faults.stuck_sonars:
            self._stuck_at.pop(number, None)
            return self._hear(number)
        if number not in self._stuck_at:
            self._stuck_at[number] = self._hear(number)
        return self._stuck_at[number]

    def _hear(self, number: int) -> float:
        distance = self._fault_injector.overheard(min(self._echo(self._sonar.poses[number]), NO_ECHO))
        if distance >= NO_ECHO:
            return NO_ECHO
        model = self._model
        distance += self._random.gauss(0.0, model.noise + model.relative_noise * distance)
        return distance if self._sonar.min_range <= distance <= self._sonar.max_range else NO_ECHO

    def _echo(self, mount: SonarPose) -> float:
        """The nearest thing in the beam that throws the sound back, m; inf for none."""
        pose = self._body.pose
        c, s = math.cos(pose.heading), math.sin(pose.heading)
        x, y = pose.x + c * mount.x - s * mount.y, pose.y + s * mount.x + c * mount.y
        heading, half = pose.heading + mount.heading, self._sonar.field_of_view / 2
        reach, nearest = self._sonar.max_range, math.inf
        segments = self._world.in_cone(x, y, heading, half, reach)
        facing = math.cos(self._model.grazing)
        for ray in range(_RAYS):
            angle = heading - half + 2 * half * ray / (_RAYS - 1)
            hits = ((s.hit_by(x, y, math.cos(angle), math.sin(angle)), s) for s in segments)
            distance, wall = min(hits, default=(math.inf, None))
            if wall is not None and distance < nearest and abs(math.sin(angle - wall.angle)) >= facing:
                nearest = distance
        return nearest if nearest <= reach else math.inf
