# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The requested motion, for as long as its sender repeats it: time-out, keep-alive, emergency stop.

One motion at a time: a velocity, wheel velocities, a heading, or a goal; the newest request ends the one before, as it
does in the firmware.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ...connection_policy import KEEP_ALIVE, KEEP_ALIVE_AT_REST
from ...errors import RequestRefusedError
from ...protocol import Command, Instruction, Sip
from ..command_queue import Priority
from ..component import Component, Context
from ..events import EmergencyStopChanged
from ..outcome import Outcome
from ..sensing.state_estimator import StateEstimator
from .goal import MotionGoal, Progress
from .limits import VelocityLimits
from .setpoint import ZERO_VELOCITY, HeadingSetpoint, Setpoint, VelocitySetpoint, WheelSetpoint

#: Times a stop is sent again at least, until the robot is at rest: frames get lost, and no packet acknowledges them.
STOP_REPEATS = 3
#: s for which velocities are refused after this process was suspended: they may have waited in a queue.
WAKING = 0.5
#: s after that in which the first velocity restarts this time: on a busy computer old velocities arrive late.
LATE = 5.0


@dataclass(slots=True)
class MotionStats:
    """Number of requested velocities and goals by result."""

    accepted: int = 0  #: velocities and goals
    refused: int = 0  #: velocities and goals
    timeouts: int = 0  #: velocities that ended because they were not repeated


class Motion(Component):
    """Holds the requested motion and queues its commands."""

    def __init__(
        self,
        context: Context,
        limits: VelocityLimits,
        timeout: float,
        estimator: StateEstimator,
        motors_switching_on: Callable[[], bool],
        tuning_applying: Callable[[], bool],
    ) -> None:
        """Make a motion of zero velocity.

        Args:
            context: The robot's.
            limits: Velocity limits.
            timeout: Time in s after which a set-point that is not repeated is replaced by zero.
            estimator: Knows pose and heading of the robot.
            motors_switching_on: Returns whether the driver is switching the motors on.
            tuning_applying: Returns whether the driver is setting tuning values that the robot does not hold yet.
        """
        super().__init__(context)
        self.limits = limits
        self.timeout = timeout  #: s
        self.stats = MotionStats()
        self.emergency = False
        self._stopped_at = -math.inf  #: s, the newest stop: velocities from before that are refused
        self.requested: Setpoint | MotionGoal = ZERO_VELOCITY
        self._estimator = estimator
        self._queue = context.queue
        self._motors_off = f"the motors are off: {context.remedies.motors_off}, or press MOTORS on the robot"
        self._moving = self._was_moving = False  #: in the newest SIP, and in the one before
        self._awake_from = self._late_until = -math.inf
        self._driven = False  #: in this session: the firmware may hold a velocity that a frame revives
        self._motors_switching_on = motors_switching_on
        self._tuning_applying = tuning_applying
        self._sip: Sip | None = None  #: the newest one in this session
        self._ended_goal: MotionGoal | None = None  #: the last one that was ended before it was reached
        #: computes the set-point within the limits
        self._limited: Callable[[], Setpoint] = lambda: ZERO_VELOCITY
        self._stops_left = 0
        self._expiry = context.timeouts.timer(self._on_expiry)
        self._keep_alive_timer = context.timeouts.timer(self._keep_alive)
        context.on_packet(Sip, self._on_sip)

    # -- requests ---------------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Request a velocity until `timeout` from now.

        Args:
            linear: m/s.
            angular: rad/s.
            now: Time in s.

        Raises:
            RequestRefusedError: A value is not finite, or the robot cannot move now.
        """
        self._hold(lambda: self.limits.velocity(linear, angular), now)

    def drive_wheels(self, left: float, right: float, now: float) -> None:
        """Request wheel velocities until `timeout` from now.

        Args:
            left: m/s.
            right: m/s.
            now: Time in s.

        Raises:
            RequestRefusedError: A value is not finite, or the robot cannot move now.
        """
        self._hold(lambda: self.limits.wheels(left, right), now)

    def drive_heading(self, linear: float, yaw: float, now: float) -> None:
        """Request a velocity on a heading until `timeout` from now.

        Args:
            linear: m/s.
            yaw: rad in the odometry frame as it is now.
            now: Time in s.

        Raises:
            RequestRefusedError: A value is not finite, or the robot cannot move now.
        """
        heading = yaw - self._estimator.odometer.rotation
        self._hold(lambda: self.limits.heading(linear, heading), now)

    def perform(self, goal: MotionGoal, now: float) -> Future[Outcome]:
        """Start a goal, measured from the present odometry on.

        It starts when the robot is at rest, and waits for motors and tuning values that the driver is setting already.

        Returns:
            The outcome, when the robot is at rest again, another motion has replaced the goal or the session has ended.

        Raises:
            RequestRefusedError: There is no robot, the emergency stop is latched, the motors are off, or this process
                was suspended a moment ago.
        """
        with self.counting_refusals():
            self._check("goal", now)
            self.check_motors()
        self.stats.accepted += 1
        at_rest = not (self.requested or self._stops_left or self._moving)
        goal.begin(self._estimator.odometer.state, now, at_rest=at_rest)
        self._replace(goal, math.inf, now)
        return goal.ended

    def check_motors(self) -> None:
        """Raise RequestRefusedError while the motors are off and the driver does not switch them on."""
        if self._motors_stay_off:
            raise RequestRefusedError(self._motors_off)

    @property
    def _motors_stay_off(self) -> bool:
        return self._sip is not None and not (self._sip.motors_enabled or self._motors_switching_on())

    def cancel(self, goal: MotionGoal) -> None:
        """Stop the robot if this goal is in progress."""
        if self.requested is goal:
            self._stop("canceled")

    def stop(self, now: float) -> None:
        """Stop with the robot's normal deceleration; the next velocity requested after `now` (s) drives again."""
        self._stopped_at = max(self._stopped_at, now)
        self._stop("stopped")

    def _stop(self, why: str) -> None:
        """Stop with the command STOP, then send zero velocities; `why` is the reason in the outcome of a goal."""
        self._cancel_motion(why)
        self._send_stop(Command.STOP())

    def zero_velocities(self) -> None:
        """Send zero velocities before any other frame, as a frame could revive an old velocity."""
        self._cancel_motion("stopped")
        self._send_stop(*ZERO_VELOCITY.instructions)

    def emergency_stop(self) -> None:
        """Brake as hard as the robot can and refuse every motion until `clear_emergency_stop`."""
        self._cancel_motion("emergency stop")
        self._stops_left = STOP_REPEATS
        self._latch(True)
        self._queue.drop(Priority.STOP, Priority.KEEP_ALIVE)
        self._send_stop()

    def clear_emergency_stop(self, now: float) -> None:
        """End the emergency stop, and stop a robot that drives without one.

        It stays at rest until a velocity is requested after `now` (s).
        """
        self._stopped_at = max(self._stopped_at, now)
        if self.emergency:
            self._latch(False)
        else:
            self.zero_velocities()

    def refuse_if_stopped_since(self, sent: float) -> None:
        """Raise RequestRefusedError, and count it, for a velocity that was sent (s) before the newest stop."""
        with self.counting_refusals():
            self._check_newer_than_stop(sent)

    def _check_newer_than_stop(self, sent: float) -> None:
        if sent < self._stopped_at:
            raise RequestRefusedError("the robot was stopped after this velocity was sent")

    @contextmanager
    def counting_refusals(self) -> Iterator[None]:
        """Count a motion whose check in this context raises RequestRefusedError."""
        try:
            yield
        except RequestRefusedError:
            self.stats.refused += 1
            raise

    @property
    def driven(self) -> bool:
        """Whether the wheels should turn; a heading can be kept at rest."""
        return isinstance(self.requested, VelocitySetpoint | WheelSetpoint) and bool(self.requested)

    def limits_changed(self) -> None:
        """Apply new limits: lower ones to the current velocity, too, higher ones to the next (docs/decisions/0005)."""
        if isinstance(self.requested, MotionGoal) or not self.requested:
            return
        count = self.limits.limited
        setpoint = self._limited()
        self.limits.limited = count
        if setpoint.size < self.requested.size:
            self.requested = setpoint
            self._stops_left = 0 if setpoint else STOP_REPEATS
            self._send_requested()

    # -- session and packets -----------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        """Stop the robot before anything else."""
        self._driven = False
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        self._stop("stopped")
        self.zero_velocities()

    def on_silence_of_driver(self, now: float) -> None:
        """Stop, and refuse velocities for a moment: this process was suspended until `now` (s)."""
        self._awake_from, self._late_until = now + WAKING, now + LATE
        self._stop("stopped")

    def on_session_end(self, why: str) -> None:
        """Cancel every motion request; nothing is sent."""
        self._cancel_motion(why)
        self._finish_ended_goal("; the robot may have rolled on after that")
        self._sip = None
        self._keep_alive_timer.cancel()

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        self._sip, self._was_moving, self._moving = sip, self._moving, sip.moving
        if self._ended_goal and not self._ended_goal.ended.done():
            self._ended_goal.observe_stop(self._progress(sip, now))
        if isinstance(self.requested, MotionGoal):
            self._advance(self.requested, self._progress(sip, now))
        elif isinstance(self.requested, HeadingSetpoint) and self._estimator.jumped:
            self._context.notify("the robot's own heading was set while it kept one: stopped")
            self.zero_velocities()

    def _on_expiry(self, now: float) -> None:
        self.stats.timeouts += 1
        self._context.notify(f"no velocity for {self.timeout:g} s: stopped")
        self.zero_velocities()

    # -- inside -----------------------------------------------------------------------------------------------

    def _latch(self, latched: bool) -> None:
        if latched != self.emergency:
            self.emergency = latched
            self._context.emit(EmergencyStopChanged(latched))

    def _check(self, request: str, now: float) -> None:
        """Refuse a motion without a robot, in an emergency stop, or from before this process was suspended."""
        if reason := self._context.no_robot():
            raise RequestRefusedError(reason)
        if self.emergency:
            raise RequestRefusedError(f"the emergency stop is latched: {self._context.remedies.emergency_stop} first")
        if now < self._late_until:
            self._awake_from, self._late_until = max(self._awake_from, now + WAKING), -math.inf
        if now < self._awake_from:
            raise RequestRefusedError(
                f"this computer or this process was suspended: the {request} may be an old one, send it again"
            )

    def _hold(self, limited: Callable[[], Setpoint], now: float) -> None:
        """Request a set-point until `timeout` from now; `limited` computes it within the limits."""
        limited_before = self.limits.limited
        with self.counting_refusals():
            # First, so that a refused velocity does not count as scaled down.
            self._check("velocity", now)
            self._check_newer_than_stop(now)
            # Zero is the same for every motion: a simulated P3-AT ended wheel velocities later than others.
            setpoint = limited() or ZERO_VELOCITY
        self.stats.accepted += 1
        self._limited = limited
        if self._motors_stay_off and setpoint:
            self._context.notify(f"a velocity arrives while {self._motors_off}")
        self._replace(setpoint, now + self.timeout, now)
        if self.limits.limited > limited_before == 0:
            limits, highest = (
                f"{v:.3g} m/s and {w:.3g} rad/s" for v, w in (self.limits.effective, self.limits.highest)
            )
            self._context.notify(f"velocities are scaled down to {limits}; this robot allows limits of up to {highest}")

    def _replace(self, requested: Setpoint | MotionGoal, expires: float, now: float) -> None:
        """Request a motion until `expires` (s) instead of the one before."""
        before, moves = self.requested, bool(requested)
        if type(requested) is not type(before):
            self._queue.drop(Priority.VELOCITY)
        self._end_goal("another movement was requested")
        if moves:
            # From now on another motion moves the robot.
            self._finish_ended_goal()
        if not moves and before:
            self._stops_left = STOP_REPEATS
        self.requested = requested
        self._expiry.set(expires if moves else math.inf)
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        self._driven = self._driven or moves
        self._send_requested()

    def _cancel_motion(self, why: str) -> None:
        """Cancel every motion request; the caller sends the stop."""
        self._end_goal(why)
        if self.requested:
            self._stops_left = STOP_REPEATS
        self.requested = ZERO_VELOCITY
        self._expiry.cancel()
        self._queue.drop(Priority.VELOCITY)

    def _progress(self, sip: Sip, now: float) -> Progress:
        return Progress(
            odometry=self._estimator.odometer.state,
            heading=sip.heading * self._context.profile().units.angle,
            moving=self._moving,
            at_rest=not (self._was_moving or self._moving),
            motors_on=sip.motors_enabled,
            configured=not self._tuning_applying(),
            now=now,
        )

    def _advance(self, goal: MotionGoal, progress: Progress) -> None:
        """Update a goal from a SIP, and send its commands or end it."""
        if self._motors_stay_off:
            self._stop(self._motors_off)
            return
        step = goal.observe(progress)
        if not isinstance(step, Outcome):
            for instruction in step:
                self._queue.put(instruction, Priority.VELOCITY)
        elif step.success:
            goal.finish(step)
            self._replace(ZERO_VELOCITY, math.inf, progress.now)
        else:
            self._stop(step.message)

    def _end_goal(self, why: str) -> None:
        """End the current goal; its outcome waits until the robot is at rest."""
        if isinstance(self.requested, MotionGoal) and not self.requested.ended.done():
            self.requested.end(why)
            self._ended_goal = self.requested

    def _finish_ended_goal(self, remark: str = "") -> None:
        if self._ended_goal:
            self._ended_goal.finish_stop(remark)

    def _send_stop(self, *stops: Instruction) -> None:
        """Send the stops, or E_STOP while the emergency stop is latched."""
        if self._context.no_robot():
            return
        if self.emergency:
            # A zero velocity would end the braking of E_STOP.
            self._queue.put(Command.E_STOP(), Priority.EMERGENCY)
            return
        for instruction in stops:
            self._queue.put(instruction, Priority.STOP)

    def _send_requested(self) -> None:
        for instruction in self.requested.instructions:
            self._queue.put(instruction, Priority.VELOCITY)

    def _keep_alive(self, now: float) -> None:
        """Send a keep-alive: the requested motion, stops until the robot is at rest, then STOP or PULSE.

        A robot may be at rest because it received nothing, not even the stops: then any frame but STOP revives its
        velocity (docs/protocol 3.6). PULSE is sufficient until the robot was driven for the first time.
        """
        if not (self.requested or self._stops_left or self._moving):
            self._keep_alive_timer.set(now + KEEP_ALIVE_AT_REST)
            if self._driven:
                self._send_stop(Command.STOP())
            else:
                self._queue.put(Command.PULSE(), Priority.KEEP_ALIVE)
            return
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        if not self.requested:
            self._stops_left = max(0, self._stops_left - 1)
        if not self.emergency:
            self._send_requested()
            return
        self._send_stop()
        if self._moving and not self._stops_left:
            # The robot had time to brake: its firmware may not support E_STOP.
            self._queue.put(Command.STOP(), Priority.STOP)
