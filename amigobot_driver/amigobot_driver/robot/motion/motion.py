"""The requested motion, for as long as its sender repeats it: time-out, keep-alive, emergency stop.

One motion at a time: a velocity, wheel velocities, a course, or a goal; the newest request ends the one before, as it
does in the firmware.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

from ...connection_policy import KEEP_ALIVE
from ...errors import Refused
from ...profiles import Units
from ...protocol import Command, Instruction, Sip
from ..command_queue import Priority
from ..component import Component, Context
from ..events import Notice, Odometry
from ..outcome import Outcome
from .goal import SETTLE, MotionGoal, Progress
from .limits import VelocityLimits
from .setpoint import STANDING, Course, Setpoint, Velocity, Wheels

#: Times a stop is sent again at least, until the robot is at rest: frames get lost, and no packet acknowledges them.
STOP_REPEATS = 3
#: s in which velocities are refused after this process slept: they may have waited in a queue all that time.
WAKING = 0.5
#: s after such a sleep within which the first velocity to arrive starts these anew: on a busy computer an old velocity
#: can reach the driver that late.
LATE = 5.0
#: s the motors may be off before a velocity that arrives is told so; after connecting they are on their way.
MOTORS_GRACE = 1.0

#: s after a stop within which the robot is expected at rest; then a movement's outcome no longer waits for it.
STOP_LIMIT = 5.0

_OVERTAKEN = "another movement was requested"
_MOTORS_OFF = "the motors are off: call enable_motors, or press MOTORS on the robot"


@dataclass(slots=True)
class MotionStats:
    """What became of the velocities that were asked for."""

    accepted: int = 0
    refused: int = 0
    timeouts: int = 0


@dataclass(slots=True)
class _Stopping:
    """A movement that was ended before its goal, while the robot comes to rest."""

    goal: MotionGoal
    why: str
    since: float = math.inf  #: s, the first packet after the stop


class Motion(Component):
    """Holds what is requested and puts into the outbox what has to be sent for it."""

    def __init__(
        self,
        context: Context,
        limits: VelocityLimits,
        timeout: float,
        motors_coming: Callable[[], bool] = lambda: False,
    ) -> None:
        """`timeout`: s a set-point outlives its sender; `motors_coming`: whether the driver is switching them on."""
        super().__init__(context)
        self.limits = limits
        self.timeout = timeout  #: s a set-point outlives its sender
        self.stats = MotionStats()
        self.emergency = False
        self.requested: Setpoint | MotionGoal = STANDING
        self._queue = context.queue
        self._running = False
        self._gone = "not connected yet"  #: why there is no robot
        self._moving = False
        self._awake_from = self._late_until = -math.inf
        self._driven = False  #: in this session: the robot may have a velocity to come back to
        self._motors_off_since = math.inf
        self._motors_coming = motors_coming
        self._progress: Progress | None = None  #: of the newest SIP in this session
        self._stopping: list[_Stopping] = []
        #: makes the set-point that is held within the limits of the moment
        self._limited: Callable[[], Setpoint] = lambda: STANDING
        self._stops_left = 0
        self._expiry = context.timeouts.timer(self._on_expiry)
        self._keep_alive_timer = context.timeouts.timer(self._on_keep_alive)
        context.on_packet(Sip, self._on_sip)

    # -- requests ---------------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity (m/s, rad/s) until `timeout` from now. Raises Refused."""

        def limited() -> Velocity:
            v, w = self.limits.velocity(linear, angular)
            return Velocity(round(v * 1000), round(math.degrees(w)))

        self._hold(limited, now)

    def drive_wheels(self, left: float, right: float, track: float, units: Units, now: float) -> None:
        """Ask for wheel velocities (m/s) until `timeout` from now. Raises Refused.

        `track` is the distance between the wheels, m.
        """

        def limited() -> Wheels:
            velocities = self.limits.wheels(left, right, track)
            return Wheels.nearest(*velocities, self.limits.working[0], units.wheel_velocity)

        self._hold(limited, now)

    def drive_course(self, linear: float, heading: int, now: float) -> None:
        """Ask for a velocity (m/s) on a heading (deg in the robot's frame) until `timeout` from now. Raises Refused."""

        def limited() -> Course:
            v, _ = self.limits.velocity(linear, 0.0)
            return Course(round(v * 1000), heading)

        self._hold(limited, now)

    def perform(self, goal: MotionGoal, odometry: Odometry, now: float) -> Future[Outcome]:
        """Start a movement with an end, measured from this odometry on.

        It starts when the robot is at rest and its motors are on, if the driver is switching them on already. The
        future ends when the robot is at rest again, or when another movement has taken over or the session has ended.

        Raises:
            Refused: There is no robot, the emergency stop is latched, the motors are off, or this process slept a
                moment ago.
        """
        try:
            self._check()
            self._check_awake("goal", now)
            if not (self._motors_off_since == math.inf or self._motors_coming()):
                raise Refused(_MOTORS_OFF)
        except Refused:
            self.stats.refused += 1
            raise
        self.stats.accepted += 1
        at_rest = not (self.requested or self._stops_left or self._moving)
        goal.begin(odometry, now, at_rest=at_rest)
        self._replace(goal, math.inf, now)
        if self._progress:
            self._advance(goal, replace(self._progress, odometry=odometry, now=now))
        return goal.ended

    def cancel(self, goal: MotionGoal) -> None:
        """Stop the robot if it performs this movement."""
        if self.requested is goal:
            self.stop("canceled")

    def stop(self, why: str = "stopped") -> None:
        """Stop both movements at once with one frame, then zero them."""
        self._forget(why)
        self._send_stop(Command.STOP())

    def stand(self) -> None:
        """Zero both velocities before any other frame goes out, as one could revive an old velocity."""
        self._forget("stopped")
        self._send_stop(*STANDING.instructions())

    def brake(self) -> None:
        """Emergency stop: brake as hard as the robot can and refuse every movement until `release`."""
        self._forget("emergency stop")
        self._stops_left = STOP_REPEATS
        self.emergency = True
        self._queue.drop(Priority.STOP, Priority.KEEP_ALIVE)
        self._send_stop()

    def release(self) -> None:
        """End the emergency stop; the robot stands until a velocity comes."""
        self.emergency = False
        self._forget("stopped")

    def limits_changed(self) -> None:
        """Apply the limits to what is driven now."""
        if isinstance(self.requested, MotionGoal) or not self.requested:
            return
        count = self.limits.limited
        setpoint = self._limited()
        self.limits.limited = count
        if setpoint != self.requested:
            self.requested = setpoint
            self._stops_left = 0 if setpoint else STOP_REPEATS
            self._send_requested()

    # -- the session's side -----------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        self._running = True
        self._driven = False
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        self.stop()
        self.stand()

    def on_silence_of_driver(self, now: float) -> None:
        """Stop, and refuse velocities for a moment: this process has slept until `now` (s)."""
        self._awake_from, self._late_until = now + WAKING, now + LATE
        self.stop()

    def on_session_end(self, why: str) -> None:
        self._forget(why)
        self._tell_stopping(remark="; the robot may have rolled on after that")
        self._progress = None
        self._running, self._gone = False, why
        self._motors_off_since = math.inf
        self._keep_alive_timer.cancel()

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        self._moving = sip.moving
        self._motors_off_since = math.inf if sip.motors_enabled else min(now, self._motors_off_since)

    def watch(self, odometry: Odometry, heading: float, now: float, *, jumped: bool) -> None:
        """Take where a SIP shows the robot.

        Args:
            odometry: Its odometry.
            heading: Its heading as it counts that itself, rad.
            now: s.
            jumped: Its counters were set, so that its headings mean something else now.
        """
        self._progress = Progress(odometry, heading, self._moving, self._motors_off_since == math.inf, now)
        if self._stopping:
            self._watch_stopping(self._progress)
        if isinstance(self.requested, MotionGoal):
            self._advance(self.requested, self._progress)
        elif isinstance(self.requested, Course) and jumped:
            self._notify("the robot's own heading was set while it kept one: stopped")
            self.stand()

    def _on_expiry(self, now: float) -> None:
        self.stats.timeouts += 1
        self._notify(f"no velocity for {self.timeout:g} s (cmd_vel_timeout): stopped")
        self.stand()

    def _on_keep_alive(self, now: float) -> None:
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        self._keep_alive()

    # -- inside -----------------------------------------------------------------------------------------------

    def _notify(self, text: str) -> None:
        self._context.emit(Notice(text))

    def _check(self) -> None:
        if not self._running:
            raise Refused(f"there is no robot to drive: {self._gone}")
        if self.emergency:
            raise Refused("the emergency stop is latched: call clear_emergency_stop first")

    def _check_awake(self, request: str, now: float) -> None:
        """Refuse what may have waited in a queue while this process slept."""
        if now < self._late_until:
            self._awake_from, self._late_until = now + WAKING, -math.inf
        if now < self._awake_from:
            raise Refused(
                f"this computer or this process slept a moment ago: the {request} may be from before, send it again"
            )

    def _hold(self, limited: Callable[[], Setpoint], now: float) -> None:
        """Keep a set-point until its sender falls silent; `limited` makes it, within the limits of the moment."""
        limited_before = self.limits.limited
        try:
            setpoint = limited()
            self._check()
            self._check_awake("velocity", now)
        except Refused:
            self.stats.refused += 1
            raise
        self.stats.accepted += 1
        self._limited = limited
        if now - self._motors_off_since > MOTORS_GRACE and setpoint:
            self._notify(
                "a velocity arrives while the motors are off: call the service enable_motors with data: true, "
                "or press MOTORS on the robot"
            )
        self._replace(setpoint, now + self.timeout, now)
        if self.limits.limited > limited_before == 0:
            linear, angular = self.limits.working
            self._notify(
                f"velocities are scaled down to {linear:.3g} m/s and {angular:.3g} rad/s: "
                "raise max_linear_velocity or max_angular_velocity if the robot may be faster"
            )

    def _replace(self, requested: Setpoint | MotionGoal, expires: float, now: float) -> None:
        """Request a motion until `expires` (s) instead of the one before."""
        before, moves = self.requested, bool(requested)
        if type(requested) is not type(before):
            self._queue.drop(Priority.VELOCITY)
        if isinstance(before, MotionGoal):
            self._end_goal(_OVERTAKEN)
        if moves and self._stopping:
            # From here on the robot moves for another reason.
            self._tell_stopping()
        if not moves and before:
            self._stops_left = STOP_REPEATS
        self.requested = requested
        self._expiry.set(expires if moves else math.inf)
        self._keep_alive_timer.set(now + KEEP_ALIVE)
        self._driven = self._driven or moves
        self._send_requested()

    def _forget(self, why: str) -> None:
        """Cancel every motion request; the caller sends what follows from that."""
        self._end_goal(why)
        if self.requested:
            self._stops_left = STOP_REPEATS
        self.requested = STANDING
        self._expiry.cancel()
        self._queue.drop(Priority.VELOCITY)

    def _advance(self, goal: MotionGoal, progress: Progress) -> None:
        """Let a movement take in a SIP, and do what follows."""
        if not (progress.motors_on or self._motors_coming()):
            self.stop(_MOTORS_OFF)
            return
        step = goal.observe(progress)
        if not isinstance(step, Outcome):
            for instruction in step:
                self._queue.put(instruction, Priority.VELOCITY)
        elif step.success:
            goal.finish(step)
            self._replace(STANDING, math.inf, progress.now)
        else:
            self.stop(step.message)

    def _end_goal(self, why: str) -> None:
        """End the movement that is performed; its outcome waits until the robot is at rest."""
        if isinstance(self.requested, MotionGoal) and not self.requested.ended.done():
            self._stopping.append(_Stopping(self.requested, why))

    def _watch_stopping(self, progress: Progress) -> None:
        for stopping in self._stopping:
            stopping.goal.note(progress.odometry)
            stopping.since = min(stopping.since, progress.now)
        # What was on its way to the robot before the stop may still show.
        settled = [one for one in self._stopping if not progress.moving and progress.now - one.since >= SETTLE]
        overdue = [one for one in self._stopping if progress.moving and progress.now - one.since > STOP_LIMIT]
        self._tell_stopping(settled)
        self._tell_stopping(overdue, f"; the robot has not come to rest within {STOP_LIMIT:g} s")

    def _tell_stopping(self, some: list[_Stopping] | None = None, remark: str = "") -> None:
        """Tell the outcome of some of the movements that were ended, of all by default."""
        for one in list(self._stopping) if some is None else some:
            self._stopping.remove(one)
            one.goal.finish(Outcome(False, f"ended after {one.goal.so_far()}: {one.why}{remark}"))

    def _send_stop(self, *gently: Instruction) -> None:
        if self.emergency and self._running:
            # A zero would end the hard braking: to the firmware it is the next velocity.
            self._queue.put(Command.E_STOP(), Priority.EMERGENCY)
        elif self._running:
            for instruction in gently:
                self._queue.put(instruction, Priority.STOP)

    def _send_requested(self) -> None:
        put = self._queue.put
        for instruction in self.requested.instructions():
            put(instruction, Priority.VELOCITY)

    def _keep_alive(self) -> None:
        """What keeps the watchdog quiet: what is requested, stops until the robot stands, then one more stop each time.

        A robot may be at rest because it received nothing, not even the stops: then any frame but STOP lets it drive
        on (docs/protocol.md 3.6). A mere pulse is enough as long as there is nothing it could drive on with.
        """
        if not (self.requested or self._stops_left or self._moving):
            if self._driven:
                self._send_stop(Command.STOP())
            else:
                self._queue.put(Command.PULSE(), Priority.KEEP_ALIVE)
            return
        if not self.requested:
            self._stops_left = max(0, self._stops_left - 1)
        if not self.emergency:
            self._send_requested()
            return
        self._send_stop()
        if self._moving and not self._stops_left:
            # It has had time to brake hard: maybe its firmware does not know how.
            self._queue.put(Command.STOP(), Priority.STOP)
