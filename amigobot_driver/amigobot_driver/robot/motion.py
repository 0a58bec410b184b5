"""The velocity somebody wants, for as long as they want it: limits, time-out, emergency stop (DESIGN 5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..protocol import Command, Instruction

#: Times a zero is sent anew after the last non-zero velocity: frames get lost and nobody acknowledges.
ZERO_REPEATS = 3


class Refused(Exception):
    """A request that is not carried out; the message says the value, what is allowed and what to do."""


@dataclass(frozen=True, slots=True)
class Velocity:
    """What VEL and RVEL take: whole mm/s and deg/s."""

    linear: int = 0
    angular: int = 0

    def instructions(self) -> tuple[Instruction, Instruction]:
        return Command.VEL(self.linear), Command.RVEL(self.angular)

    def __bool__(self) -> bool:
        return bool(self.linear or self.angular)


@dataclass(slots=True)
class MotionStats:
    """What became of the velocities that were asked for."""

    accepted: int = 0
    refused: int = 0
    limited: int = 0
    timeouts: int = 0


class Motion:
    """Holds the wanted velocity and says what has to be sent for it.

    `working` are the limits velocities are scaled down to; `capable` what the robot can do at all, anything beyond
    is refused as a mistake. Both (m/s, rad/s).
    """

    def __init__(self, capable: tuple[float, float], timeout: float) -> None:
        self.capable = capable
        self.working = capable
        self.timeout = timeout
        self.stats = MotionStats()
        self.emergency = False
        self._velocity = Velocity()
        self._expires = math.inf
        self._zeros_left = ZERO_REPEATS

    @property
    def velocity(self) -> Velocity:
        """What the robot should be doing now."""
        return self._velocity

    def drive(self, linear: float, angular: float, now: float) -> tuple[Instruction, Instruction]:
        """Ask for a velocity (m/s, rad/s) until `timeout` from now. Raises Refused."""
        try:
            velocity = self._admit(linear, angular)
        except Refused:
            self.stats.refused += 1
            raise
        self.stats.accepted += 1
        self._set(velocity, now)
        return velocity.instructions()

    def _admit(self, linear: float, angular: float) -> Velocity:
        if self.emergency:
            raise Refused("the emergency stop is latched: call clear_emergency_stop first")
        scale = 1.0
        for name, value, unit, capable, working in (
            ("linear.x", linear, "m/s", self.capable[0], self.working[0]),
            ("angular.z", angular, "rad/s", self.capable[1], self.working[1]),
        ):
            if not math.isfinite(value):
                raise Refused(f"{name} is {value}, a finite number of {unit} is needed")
            if abs(value) > capable * 1.001:
                raise Refused(f"{name} is {value:g} {unit}, this robot does {-capable:.3g} to {capable:.3g}")
            if abs(value) > working:
                scale = min(scale, working / abs(value))
        self.stats.limited += scale < 1.0
        return Velocity(round(linear * scale * 1000), round(math.degrees(angular * scale)))

    def halt(self) -> None:
        """Nobody wants any velocity any more."""
        self._set(Velocity(), 0.0)

    def latch(self) -> None:
        """Emergency stop: refuse every velocity until `clear`."""
        self.emergency = True
        self._velocity = Velocity()
        self._expires = math.inf
        self._zeros_left = 0

    def clear(self) -> None:
        """End the emergency stop; the robot still stands."""
        self.emergency = False
        self.halt()

    def expire(self, now: float) -> bool:
        """Drop a velocity whose sender has gone silent; True when this happened just now."""
        if now < self._expires:
            return False
        self.stats.timeouts += 1
        self.halt()
        return True

    def next_time(self) -> float:
        """When `expire` has something to do, inf while the robot should stand."""
        return self._expires

    def keep_alive(self) -> Iterator[Instruction]:
        """What keeps the watchdog quiet: the velocity while it is wanted, zeros until they have surely arrived."""
        if self._velocity:
            yield from self._velocity.instructions()
        elif self._zeros_left:
            self._zeros_left -= 1
            yield from self._velocity.instructions()
        else:
            yield Command.PULSE()

    def _set(self, velocity: Velocity, now: float) -> None:
        if self._velocity and not velocity:
            self._zeros_left = ZERO_REPEATS
        self._velocity = velocity
        self._expires = now + self.timeout if velocity else math.inf
