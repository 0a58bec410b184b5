"""Movements with an end, driven by the firmware's own servo: a turn on the spot, a straight distance.

Both are sent so that a lost frame does no harm: a turn as an absolute heading, again and again; a distance again only
while the robot has not begun to move, and then what is left of it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass

from ...protocol import Command, Instruction
from ..events import Odometry
from ..outcome import Outcome
from .setpoint import STANDING

#: s without getting any nearer after which a movement is given up.
PATIENCE = 3.0
#: How near to the goal a standing robot must be: HEAD takes whole degrees, and servos have a dead band.
TURN_TOLERANCE = math.radians(3)
MOVE_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Progress:
    """What a movement looks at in each SIP."""

    odometry: Odometry
    moving: bool
    now: float


class Manoeuvre(ABC):
    """One movement. `ended` has the outcome; `remaining` is what is left, rad or m."""

    tolerance: float

    def __init__(self, total: float, now: float) -> None:
        self.ended: Future[Outcome] = Future()
        self.remaining = total
        self._best = math.inf
        self._best_at = now

    @abstractmethod
    def instructions(self) -> tuple[Instruction, ...]:
        """What to send now, at the start and with each keep-alive."""

    @abstractmethod
    def _left(self, odometry: Odometry) -> float:
        """What is left of the movement, rad or m."""

    def observe(self, progress: Progress) -> Outcome | None:
        """Take in a SIP; an outcome when the movement is over."""
        self.remaining = self._left(progress.odometry)
        distance = abs(self.remaining)
        if distance < self._best - self.tolerance / 10:
            self._best, self._best_at = distance, progress.now
        if distance <= self.tolerance and not progress.moving:
            return Outcome(True, f"reached, {self._text()} off")
        if progress.now - self._best_at > PATIENCE:
            return Outcome(False, f"no progress for {PATIENCE:g} s, {self._text()} are left: is something in the way?")
        return None

    @abstractmethod
    def _text(self) -> str: ...


class Turn(Manoeuvre):
    """To a heading: `yaw` in the odometry frame (rad), `heading` the same in the robot's own frame (whole deg)."""

    tolerance = TURN_TOLERANCE

    def __init__(self, start: Odometry, yaw: float, heading: int, now: float) -> None:
        self._yaw = yaw
        self._heading = heading
        super().__init__(self._left(start), now)

    def instructions(self) -> tuple[Instruction, ...]:
        return Command.VEL(0), Command.HEAD(self._heading)

    def _left(self, odometry: Odometry) -> float:
        return math.remainder(self._yaw - odometry.yaw, math.tau)

    def _text(self) -> str:
        return f"{math.degrees(self.remaining):.1f} deg"


class Move(Manoeuvre):
    """Straight on by `distance` (m), negative backwards."""

    tolerance = MOVE_TOLERANCE

    def __init__(self, start: Odometry, distance: float, now: float) -> None:
        self._start = start
        self._distance = distance
        self._moving = False
        super().__init__(distance, now)

    def observe(self, progress: Progress) -> Outcome | None:
        self._moving = progress.moving
        return super().observe(progress)

    def instructions(self) -> tuple[Instruction, ...]:
        if self._moving or abs(self.remaining) <= self.tolerance:
            return (Command.PULSE(),)
        return STANDING.instructions()[1], Command.MOVE(round(self.remaining * 1000))

    def _left(self, odometry: Odometry) -> float:
        dx, dy = odometry.x - self._start.x, odometry.y - self._start.y
        return self._distance - dx * math.cos(self._start.yaw) - dy * math.sin(self._start.yaw)

    def _text(self) -> str:
        return f"{self.remaining:.3f} m"
