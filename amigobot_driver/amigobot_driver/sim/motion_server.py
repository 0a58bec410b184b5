# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The firmware's motion server: goals, and velocity set-points that approach them.

Translation and rotation are independent of each other. VEL2 cancels both for direct wheel control; any other motion
command ends that. Set-points change no faster than acceleration and deceleration; turns to a heading and moves over a
distance are trapezoids that end exactly. Source: AmigoBot manual, "Movement Commands".
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Velocity:
    """Goal of a velocity, m/s or rad/s."""

    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Distance:
    """Goal of a distance from the current set-point, m or rad."""

    value: float


Goal = Velocity | Distance


@dataclass(slots=True)
class RampLimits:
    """Limits of a set-point: m/s or rad/s, and m/s^2 or rad/s^2."""

    top: float = math.inf  #: limit of a Velocity
    cruise: float = math.inf  #: limit while driving a Distance
    acceleration: float = math.inf
    deceleration: float = math.inf
    #: True: the deceleration applies to the goal 0 only, the acceleration to any other lower Velocity
    brakes_only_to_zero: bool = False


class VelocityRamp:
    """One velocity set-point and its goal; m or rad, and s."""

    def __init__(self, limits: RampLimits) -> None:
        """Start at rest.

        Args:
            limits: Read at each step.
        """
        self._limits = limits
        self.velocity = 0.0
        self.goal: Goal = Velocity()

    def step(self, dt: float, *, suspended: bool = False) -> None:
        """Move the set-point on by `dt` s.

        Args:
            dt: Time step in s.
            suspended: Decelerate to rest; what remains of a distance stays to be done.
        """
        top, goal = self._limits.top, self.goal
        if suspended:
            self._approach(0.0, dt)
        elif isinstance(goal, Distance):
            self._approach(self._towards(goal.value, dt), dt)
        else:
            self._approach(max(-top, min(top, goal.value)), dt)
        self.shift(self.velocity * dt)

    def shift(self, distance: float) -> None:
        """Subtract a distance that the set-point has moved from what remains of the goal.

        Args:
            distance: m or rad; negative adds to what remains.
        """
        if isinstance(self.goal, Distance):
            self.goal = Distance(self.goal.value - distance)

    def _towards(self, distance: float, dt: float) -> float:
        """Return the highest velocity from which the set-point can still stop at the distance.

        Braking in steps of deceleration * dt covers v^2 / 2a + v dt / 2; solved for v. The last step ends exactly.
        """
        step = self._limits.deceleration * dt / 2
        speed = math.sqrt(step * step + 2 * self._limits.deceleration * abs(distance)) - step
        return math.copysign(min(self._limits.cruise, speed, abs(distance) / dt), distance)

    def _approach(self, target: float, dt: float) -> None:
        v, end = self.velocity, target
        if v == target:
            return
        rate = self._limits.acceleration
        if (target - v) * v < 0.0:  # slower or reversing: brake, at most down to rest
            slows_down = self._limits.brakes_only_to_zero and isinstance(self.goal, Velocity) and target != 0.0
            rate = self._limits.acceleration if slows_down else self._limits.deceleration
            end = target if target * v > 0.0 else 0.0
        self.velocity = end if abs(end - v) <= rate * dt else v + math.copysign(rate * dt, end - v)


class MotionServer:
    """The goals of the two axes, or of the two wheels, and the wheel velocities that lead to them."""

    half_track: float  #: m of wheel travel for each rad of turning

    def __init__(self) -> None:
        self.translation_limits, self.rotation_limits = RampLimits(), RampLimits()
        self._translation, self._rotation = VelocityRamp(self.translation_limits), VelocityRamp(self.rotation_limits)
        self._left, self._right = VelocityRamp(self.translation_limits), VelocityRamp(self.translation_limits)
        self.direct = False  #: after VEL2: each wheel has a ramp of its own
        self.suspended = False  #: decelerates to rest and keeps the goals

    def translate(self, goal: Goal) -> None:
        """Execute VEL or MOVE.

        Args:
            goal: Velocity in m/s or distance in m.
        """
        self._leave_direct()
        self._translation.goal = goal

    def rotate(self, goal: Goal) -> None:
        """Execute RVEL, ROTATE or a turn to a heading.

        Args:
            goal: Turn rate in rad/s or angle in rad, counter-clockwise.
        """
        self._leave_direct()
        self._rotation.goal = goal

    def drive_wheels(self, left: float, right: float) -> None:
        """Execute VEL2: set the velocity of each wheel in m/s."""
        if not self.direct:
            self.direct = True
            self.match_wheels(*self._mixed())
        self._left.goal, self._right.goal = Velocity(left), Velocity(right)

    def stop(self) -> None:
        """Execute STOP: come to rest with the normal deceleration."""
        self._leave_direct()
        self._translation.goal = self._rotation.goal = Velocity()

    @property
    def remaining_turn(self) -> float:
        """Angle in rad that remains of a turn to a heading; 0 without one."""
        goal = self._rotation.goal
        return goal.value if isinstance(goal, Distance) else 0.0

    def step(self, dt: float) -> tuple[float, float]:
        """Move the set-points on.

        Args:
            dt: Time step in s.

        Returns:
            The velocities of the left and the right wheel in m/s after the step.
        """
        for ramp in (self._left, self._right) if self.direct else (self._translation, self._rotation):
            ramp.step(dt, suspended=self.suspended)
        return (self._left.velocity, self._right.velocity) if self.direct else self._mixed()

    def match_wheels(self, left: float, right: float) -> None:
        """Set the set-points to the wheels' velocities in m/s, so that power returns without a jerk."""
        self._left.velocity, self._right.velocity = left, right
        self._translation.velocity = (left + right) / 2
        self._rotation.velocity = (right - left) / 2 / self.half_track

    def return_distance(self, left: float, right: float) -> None:
        """Add distances that the servo will not correct to what remains of the goals.

        Args:
            left: Distance of the left wheel in m.
            right: Distance of the right wheel in m.
        """
        self._translation.shift(-(left + right) / 2)
        self._rotation.shift(-(right - left) / 2 / self.half_track)

    def _mixed(self) -> tuple[float, float]:
        v, difference = self._translation.velocity, self._rotation.velocity * self.half_track
        return v - difference, v + difference

    def _leave_direct(self) -> None:
        if self.direct:
            self.match_wheels(self._left.velocity, self._right.velocity)
            self.direct = False
            self._translation.goal = self._rotation.goal = Velocity()
