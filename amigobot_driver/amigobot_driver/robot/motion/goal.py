# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motions with an end, controlled by the firmware: a turn on the spot, a straight distance.

A motion starts when the motors are on, the robot is at rest, and it has confirmed the limits and accelerations that it
is to move with. It is measured by the travel of the wheels since the request, so that setting the odometry has no
effect. The command is sent again only while the robot is at rest, with the remaining distance, so that a lost frame
does no harm and no distance is driven twice.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass

from ...errors import RequestRefusedError
from ...protocol import Command, Instruction
from ..events import Odometry
from ..outcome import Outcome, finish
from .limits import check_finite
from .setpoint import ZERO_VELOCITY, whole_degrees

#: Time in s without progress after which a motion fails.
NO_PROGRESS_TIMEOUT = 3.0
#: s that a motion may wait for the motors, the tuning values, and for the robot to come to rest, before it starts.
START_LIMIT = 5.0
#: s after which a packet shows the effect of what was sent before: 0.2 s each way through a modem or a network, the
#: frames before it, and a cycle.
SETTLE = 0.6
#: s after a stop in which the robot should come to rest; after that the outcome no longer waits for it.
STOP_LIMIT = 5.0
#: s that the robot must be at rest before the command is sent again. Less than SETTLE would drive a distance twice.
RESEND = 0.8
#: rad and m by which a request may miss a limit because of rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of the robot at a SIP, as far as a motion needs it."""

    odometry: Odometry
    heading: float  #: rad, as the robot itself counts it
    moving: bool
    at_rest: bool  #: in this SIP and in the one before: a robot that only changes its direction is not
    motors_on: bool
    configured: bool  #: the robot holds the requested tuning values, or they were given up
    now: float  #: s


@dataclass(frozen=True, slots=True)
class MotionFeedback:
    """How far a motion has come, rad or m."""

    covered: float  #: rad or m, since the request
    remaining: float  #: rad or m, up to the goal


class MotionGoal(ABC):
    """One motion with an end.

    Attributes:
        ended: Its outcome, when the robot is at rest again or another motion has replaced it.
        remaining: Remaining angle or distance, rad or m.
        covered: Angle or distance since the request, rad or m.
    """

    step: float  #: that of the command, the smallest motion, rad or m
    dead_band: float  #: largest distance to the goal at rest, as servos have one, rad or m
    max_overshoot: float  #: distance beyond the goal after which the robot is stopped, rad or m

    def __init__(self, request: float, scale: float = 1.0) -> None:
        """Request an angle or a distance.

        Args:
            request: rad or m.
            scale: True angle or distance over that which the firmware counts.
        """
        self.ended: Future[Outcome] = Future()
        self.remaining = request
        self.covered = 0.0
        self._request = request
        self._tolerance = self._tolerance_of(request)
        self._scale = scale
        self._start = 0.0  #: travel (rad or m) at the request
        self._start_from = self._start_by = math.inf  #: s
        #: s, when the newest command was sent; None: the goal still waits for motors, settings and rest
        self._sent_at: float | None = None
        self._sent_from = self._commanded = 0.0  #: travel when the command was sent, and the distance it commanded
        self._rest_since = math.inf  #: s
        self._best = self._best_at = math.inf
        self._end_reason = ""  #: why it was ended before it was reached
        self._ended_at = math.inf  #: s, the first packet after that

    def begin(self, odometry: Odometry, now: float, *, at_rest: bool) -> None:
        """Measure from this odometry on.

        Args:
            odometry: At the request.
            now: Time in s.
            at_rest: The robot is at rest; otherwise the motion starts after packets have shown it.
        """
        self._start = self._measure(odometry)
        self._start_from = now if at_rest else now + SETTLE
        self._start_by = now + START_LIMIT

    def observe(self, progress: Progress) -> tuple[Instruction, ...] | Outcome:
        """Update from a SIP.

        Returns:
            The commands to send, or the outcome when the motion has ended.
        """
        self.measure(progress.odometry)
        self._rest_since = math.inf if progress.moving else min(self._rest_since, progress.now)
        if self._sent_at is None:
            return self._wait(progress)
        if progress.moving:
            beyond = abs(self._measure(progress.odometry) - self._sent_from) - abs(self._commanded)
            if beyond > self.max_overshoot:
                return Outcome(False, f"the robot went beyond the goal by {self._text(beyond)}")
        elif progress.at_rest and progress.now - self._sent_at >= SETTLE and abs(self.remaining) <= self._tolerance:
            return self._reached()
        if abs(self.remaining) < self._best - self._tolerance / 10:
            self._best, self._best_at = abs(self.remaining), progress.now
        if progress.now - self._best_at > NO_PROGRESS_TIMEOUT:
            left = self._text(abs(self.remaining))
            return Outcome(
                False, f"no progress for {NO_PROGRESS_TIMEOUT:g} s, {left} are left: is something in the way?"
            )
        return self._send(progress) if progress.now - max(self._sent_at, self._rest_since) >= RESEND else ()

    def measure(self, odometry: Odometry) -> None:
        """Update `covered` and `remaining`."""
        self.covered = self._measure(odometry) - self._start
        self.remaining = self._left()

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The keep-alive: zero velocities before the start, PULSE during the motion."""
        return ZERO_VELOCITY.instructions if self._sent_at is None else (Command.PULSE(),)

    def feedback(self) -> MotionFeedback:
        """Return how far it has come."""
        return MotionFeedback(self.covered, self.remaining)

    def finish(self, outcome: Outcome) -> None:
        """Set the outcome, unless it is set already."""
        if not self.ended.done():
            finish(self.ended, outcome)

    def end(self, why: str) -> None:
        """End the goal early: the robot is being stopped. The outcome waits until it is at rest."""
        self._end_reason = why

    def observe_stop(self, progress: Progress) -> None:
        """Update from a SIP after `end`, until the robot is at rest."""
        self.measure(progress.odometry)
        self._ended_at = min(self._ended_at, progress.now)
        elapsed = progress.now - self._ended_at
        # A command from before the stop may still have an effect.
        if progress.at_rest and elapsed >= SETTLE:
            self.finish_stop()
        elif progress.moving and elapsed > STOP_LIMIT:
            self.finish_stop(f"; the robot has not come to rest within {STOP_LIMIT:g} s")

    def finish_stop(self, remark: str = "") -> None:
        """Set the outcome of a goal that was ended: how far the robot came, and why."""
        progress = f"{self._text(self.covered)} of {self._text(self._request)}"
        self.finish(Outcome(False, f"ended after {progress}: {self._end_reason}{remark}"))

    def _wait(self, progress: Progress) -> tuple[Instruction, ...] | Outcome:
        ready = progress.motors_on and progress.configured and not progress.moving
        if ready and progress.now >= self._start_from:
            return self._reached() if abs(self.remaining) <= self._tolerance else self._send(progress)
        if progress.now > self._start_by:
            return Outcome(False, f"not started: the robot did not {_missing(progress)} within {START_LIMIT:g} s")
        return ()

    def _send(self, progress: Progress) -> tuple[Instruction, ...]:
        if self._sent_at is None:
            self._best_at = progress.now
        self._sent_at = progress.now
        self._sent_from, self._commanded = self._measure(progress.odometry), self.remaining
        return self._command(progress.heading)

    def _reached(self) -> Outcome:
        return Outcome(True, f"reached, {self._text(abs(self.remaining))} off")

    def _left(self) -> float:
        return self._request - self.covered

    def _tolerance_of(self, request: float) -> float:
        """Return the tolerance: half the request or what the step allows; never the start if a step is possible."""
        tolerance = min(self.dead_band, max(abs(request) / 2, 0.75 * self.step))
        return min(tolerance, 0.75 * abs(request)) if abs(request) >= self.step else tolerance

    @abstractmethod
    def _measure(self, odometry: Odometry) -> float:
        """Return the travel that this motion counts, rad or m."""

    @abstractmethod
    def _command(self, heading: float) -> tuple[Instruction, ...]:
        """Return the commands that make a robot at rest with this heading (rad) cover the remaining part."""

    @abstractmethod
    def _text(self, value: float) -> str:
        """Return a value with its unit."""


class Turn(MotionGoal):
    """Turn on the spot by an angle of up to half a turn, rad, counter-clockwise positive."""

    step = math.radians(1)
    dead_band = math.radians(3)
    max_overshoot = math.radians(20)

    @classmethod
    def by(cls, angle: float, scale: float = 1.0) -> Turn:
        """Return a turn by an angle.

        Args:
            angle: rad, -pi to pi, counter-clockwise positive; 0, or at least 1 deg in either direction.
            scale: See `MotionGoal`.

        Raises:
            RequestRefusedError: The angle is not finite or out of range: HEAD cannot turn by it at once.
        """
        if not abs(angle) <= math.pi:
            raise RequestRefusedError(
                f"angle is {angle:g} rad, allowed: -3.14 to 3.14 rad; 90 degrees are 1.5708 radians; "
                "send several turns for a larger angle"
            )
        if 0 < abs(angle) < cls.step - _ROUNDING:
            raise RequestRefusedError(f"angle is {angle:g} rad, allowed: 0 or at least {cls.step:.4f} rad (1 deg)")
        return cls(angle, scale)

    @classmethod
    def to_heading(cls, heading: float, yaw: float, scale: float = 1.0) -> Turn:
        """Return the shortest turn to a heading.

        Args:
            heading: rad, any finite number.
            yaw: Heading now, rad.
            scale: See `MotionGoal`.

        Raises:
            RequestRefusedError: The heading is not finite.
        """
        check_finite("the heading", heading, "rad")
        return cls(math.remainder(heading - yaw, math.tau), scale)

    def _measure(self, odometry: Odometry) -> float:
        return odometry.turned

    def _left(self) -> float:
        # HEAD turns in the shorter direction, which for half a turn may be either.
        return math.remainder(super()._left(), math.tau)

    def _command(self, heading: float) -> tuple[Instruction, ...]:
        return Command.VEL(0), Command.HEAD(whole_degrees(heading + self.remaining / self._scale))

    def _text(self, value: float) -> str:
        return f"{math.degrees(value):.1f} deg"


class Move(MotionGoal):
    """Drive straight on by a distance, m, negative backwards."""

    #: Longest distance of one MOVE in m: 16 bits of mm.
    MAX_DISTANCE = 32.0
    step = 0.001
    dead_band = 0.02
    max_overshoot = 0.1

    @classmethod
    def by(cls, distance: float, scale: float = 1.0) -> Move:
        """Return a move by a distance.

        Args:
            distance: m, -`MAX_DISTANCE` to `MAX_DISTANCE`, negative backwards; 0, or at least 1 mm.
            scale: See `MotionGoal`.

        Raises:
            RequestRefusedError: The distance is not finite or out of range: MOVE cannot drive it at once.
        """
        if not abs(distance) <= cls.MAX_DISTANCE:
            allowed = f"{-cls.MAX_DISTANCE:g} to {cls.MAX_DISTANCE:g} m"
            raise RequestRefusedError(
                f"distance is {distance:g} m, allowed: {allowed}; send several moves for a larger distance"
            )
        if 0 < abs(distance) < cls.step - _ROUNDING:
            raise RequestRefusedError(f"distance is {distance:g} m, allowed: 0 or at least {cls.step} m")
        return cls(distance, scale)

    def _measure(self, odometry: Odometry) -> float:
        return odometry.travelled

    def _command(self, heading: float) -> tuple[Instruction, ...]:
        distance = max(-self.MAX_DISTANCE, min(self.MAX_DISTANCE, self.remaining / self._scale))
        return Command.RVEL(0), Command.MOVE(round(distance * 1000))

    def _text(self, value: float) -> str:
        return f"{value:.3f} m"


def _missing(progress: Progress) -> str:
    """Return what a robot has not done that a motion waits for."""
    if not progress.motors_on:
        return "switch its motors on"
    return "come to rest" if progress.moving else "confirm its tuning values"
