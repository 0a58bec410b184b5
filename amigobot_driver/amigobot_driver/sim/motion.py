"""What the firmware's motion server wants the wheels to do: goals, and set-points that approach them.

The rules (AmigoBot manual, "Movement Commands"): translation and rotation are independent of each other. VEL2
drops both for direct wheel control; any other motion command ends that. Set-points change no faster than the
acceleration and deceleration; turns to a heading and moves over a distance are trapezoids that end exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Speed:
    """Go this fast: m/s or rad/s."""

    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Distance:
    """Go this far from where the set-point is now: m or rad."""

    value: float


Goal = Speed | Distance


@dataclass(slots=True)
class Rates:
    """How fast a set-point may be and change: m/s or rad/s, and per second of those."""

    top: float = math.inf  #: of a Speed
    cruise: float = math.inf  #: on the way to a Distance
    acceleration: float = math.inf
    deceleration: float = math.inf
    brakes_only_to_zero: bool = False  #: from one Speed to a lower one it goes with the acceleration


class Ramp:
    """One velocity set-point on its way to its goal."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self.velocity = 0.0
        self.goal: Goal = Speed()

    def step(self, dt: float) -> None:
        """Move on by `dt` s."""
        if isinstance(self.goal, Distance):
            self._approach(self._towards(self.goal.value, dt), dt)
            self.shift(self.velocity * dt)
        else:
            self._approach(max(-self._rates.top, min(self._rates.top, self.goal.value)), dt)

    def shift(self, way: float) -> None:
        """The set-point's position has moved by `way`: so much less, or more, is left of a distance."""
        if isinstance(self.goal, Distance):
            self.goal = Distance(self.goal.value - way)

    def _towards(self, distance: float, dt: float) -> float:
        """The highest velocity from which the set-point can still end at the distance.

        Braking in steps of deceleration * dt covers v^2 / 2a + v dt / 2; solved for v. The last step goes
        exactly to the end.
        """
        step = self._rates.deceleration * dt / 2
        speed = math.sqrt(step * step + 2 * self._rates.deceleration * abs(distance)) - step
        return math.copysign(min(self._rates.cruise, speed, abs(distance) / dt), distance)

    def _approach(self, wanted: float, dt: float) -> None:
        v, end = self.velocity, wanted
        rate = self._rates.acceleration
        if (wanted - v) * v < 0.0:  # slower, or the other way: brake, at most down to standstill
            slows_down = self._rates.brakes_only_to_zero and isinstance(self.goal, Speed) and wanted != 0.0
            rate = self._rates.acceleration if slows_down else self._rates.deceleration
            end = wanted if wanted * v > 0.0 else 0.0
        self.velocity = end if abs(end - v) <= rate * dt else v + math.copysign(rate * dt, end - v)


class MotionServer:
    """The goals of the two axes, or of the two wheels, and the wheel velocities they make."""

    def __init__(self, half_track: float) -> None:
        #: m of wheel travel for each rad of turning
        self.half_track = half_track
        self.translation_rates, self.rotation_rates = Rates(), Rates()
        self._translation, self._rotation = Ramp(self.translation_rates), Ramp(self.rotation_rates)
        self._left, self._right = Ramp(self.translation_rates), Ramp(self.translation_rates)
        self.direct = False  #: after VEL2: the wheels have ramps of their own

    def translate(self, goal: Goal) -> None:
        """VEL, MOVE."""
        self._leave_direct()
        self._translation.goal = goal

    def rotate(self, goal: Goal) -> None:
        """RVEL, ROTATE, and the headings."""
        self._leave_direct()
        self._rotation.goal = goal

    def drive_wheels(self, left: float, right: float) -> None:
        """VEL2, m/s."""
        if not self.direct:
            velocities = self._mixed()
            self.direct = True
            self.follow(*velocities)
        self._left.goal, self._right.goal = Speed(left), Speed(right)

    def stop(self) -> None:
        """STOP: come to rest with the normal deceleration."""
        self._leave_direct()
        self._translation.goal = self._rotation.goal = Speed()

    @property
    def turn_left_over(self) -> float:
        """What is left of a turn to a heading, rad; 0 without one."""
        goal = self._rotation.goal
        return goal.value if isinstance(goal, Distance) else 0.0

    def step(self, dt: float) -> tuple[float, float]:
        """The velocities that the left and the right wheel should have after `dt` s."""
        if self.direct:
            self._left.step(dt)
            self._right.step(dt)
            return self._left.velocity, self._right.velocity
        self._translation.step(dt)
        self._rotation.step(dt)
        return self._mixed()

    def follow(self, left: float, right: float) -> None:
        """Take the wheels' velocities as set-points: while nothing drives them, to go on without a jerk."""
        self._left.velocity, self._right.velocity = left, right
        self._translation.velocity = (left + right) / 2
        self._rotation.velocity = (right - left) / 2 / self.half_track

    def give_up(self, left: float, right: float) -> None:
        """The servo no longer makes good for these distances: they remain to be driven."""
        self._translation.shift(-(left + right) / 2)
        self._rotation.shift(-(right - left) / 2 / self.half_track)

    def _mixed(self) -> tuple[float, float]:
        v, difference = self._translation.velocity, self._rotation.velocity * self.half_track
        return v - difference, v + difference

    def _leave_direct(self) -> None:
        if self.direct:
            self.follow(self._left.velocity, self._right.velocity)
            self.direct = False
            self._translation.goal = self._rotation.goal = Speed()
