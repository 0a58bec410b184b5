"""What the wheels are wanted to do, for as long as somebody wants it: time-out, keep-alive, emergency stop (DESIGN 5).

One thing at a time: a velocity, wheel velocities, a course, or a manoeuvre; the newest wish ends the one before, as it
does in the firmware.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ...profiles import Units
from ...protocol import Command, Instruction, Packet, Sip, Unlisted
from ..events import Event, Notice, Odometry
from ..feature import Feature
from ..link import STALE
from ..outbox import Outbox, Urgency
from ..outcome import Outcome
from .envelope import Envelope, Refused
from .manoeuvre import Manoeuvre, Progress
from .setpoint import STANDING, Course, Setpoint, Velocity, Wheels

#: s between two keep-alives; the firmware's watchdog is 2 s, so several may be lost.
KEEP_ALIVE = 0.25
#: Times a stop is sent anew at least, until the robot stands in any case: frames get lost and nobody acknowledges.
STOP_REPEATS = 3
#: s in which velocities are refused after this process slept: they may have waited in a queue all that time.
WAKING = 0.5
#: s after such a sleep within which the first velocity to arrive starts these anew: on a busy computer an old velocity
#: can reach the driver that late.
LATE = 5.0
#: s the motors may be off before a velocity that arrives is told so; after connecting they are on their way.
MOTORS_GRACE = 1.0

_OVERTAKEN = Outcome(False, "another movement was asked for")


@dataclass(slots=True)
class MotionStats:
    """What became of the velocities that were asked for."""

    accepted: int = 0
    refused: int = 0
    timeouts: int = 0


class Motion(Feature):
    """Holds what is wanted and puts into the outbox what has to be sent for it."""

    needs_room = False  # the time-out of a velocity does not wait, and its commands have an urgency of their own

    def __init__(self, outbox: Outbox, envelope: Envelope, timeout: float) -> None:
        self.envelope = envelope
        self.timeout = timeout  #: s a set-point outlives its sender
        self.stats = MotionStats()
        self.emergency = False
        self.wanted: Setpoint | Manoeuvre = STANDING
        self._outbox = outbox
        self._running = False
        self._gone = "not connected yet"  #: why there is no robot
        self._moving = False
        self._last_sent = math.inf  #: any frame, in this session
        self._awake_from = self._late_until = -math.inf
        self._driven = False  #: in this session: the robot may have a velocity to come back to
        self._motors_off_since = math.inf
        self._expires = math.inf
        self._next_keep_alive = math.inf
        self._stops_left = 0
        self._notices: list[str] = []

    # -- wishes -----------------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity (m/s, rad/s) until `timeout` from now. Raises Refused."""
        with self._counted():
            linear, angular = self.envelope.velocity(linear, angular)
            self._hold(Velocity(round(linear * 1000), round(math.degrees(angular))), now)

    def drive_wheels(self, left: float, right: float, units: Units, now: float) -> None:
        """Ask for wheel velocities (m/s) until `timeout` from now. Raises Refused."""
        with self._counted():
            left, right = self.envelope.wheels(left, right)
            steps = [max(-127, min(127, round(value / units.wheel_velocity))) for value in (left, right)]
            self._hold(Wheels(*steps), now)

    def drive_course(self, linear: float, heading: int, now: float) -> None:
        """Ask for a velocity (m/s) on a heading (deg in the robot's frame) until `timeout` from now. Raises Refused."""
        with self._counted():
            linear, _ = self.envelope.velocity(linear, 0.0)
            self._hold(Course(round(linear * 1000), heading), now)

    def perform(self, manoeuvre: Manoeuvre, now: float) -> Future[Outcome]:
        """Start a movement with an end. Raises Refused."""
        with self._counted():
            self._check()
            if self._motors_off_since < math.inf:
                raise Refused("the motors are off: call enable_motors, or press MOTORS on the robot")
            self._replace(manoeuvre, math.inf, now)
        return manoeuvre.ended

    def stop(self) -> None:
        """Stop both movements at once with one frame, then zero them."""
        self._forget("stopped")
        self._send_stop(Command.STOP())

    def stand(self) -> None:
        """Zero both velocities before anything else goes out, lest an old one comes to life."""
        self._forget("stopped")
        self._send_stop(*STANDING.instructions())

    def brake(self) -> None:
        """Emergency stop: brake as hard as the robot can and refuse every movement until `release`."""
        self._forget("emergency stop")
        self._stops_left = STOP_REPEATS
        self.emergency = True
        self._outbox.drop(Urgency.STOP, Urgency.KEEP_ALIVE)
        self._send_stop()

    def release(self) -> None:
        """End the emergency stop; the robot stands until a velocity comes."""
        self.emergency = False
        self._forget("stopped")

    # -- the session's side -----------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        self._running = True
        self._driven = False
        self._last_sent = now
        self._next_keep_alive = now + KEEP_ALIVE
        self.stop()
        self.stand()

    def sent(self, instruction: Instruction | Unlisted, now: float) -> None:
        if now - self._last_sent > STALE:
            self._awake_from, self._late_until = now + WAKING, now + LATE
        self._last_sent = now

    def end(self, why: str) -> None:
        self._forget(why)
        self._last_sent = math.inf
        self._running, self._gone = False, why
        self._motors_off_since = math.inf
        self._next_keep_alive = math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            self._moving = packet.moving
            self._motors_off_since = math.inf if packet.motors_enabled else min(now, self._motors_off_since)
        while self._notices:
            yield Notice(self._notices.pop(0))

    def watch(self, odometry: Odometry, now: float) -> None:
        """A manoeuvre looks at where the robot is."""
        if isinstance(self.wanted, Manoeuvre):
            outcome = self.wanted.observe(Progress(odometry, self._moving, now))
            if outcome and outcome.success:
                self._replace(STANDING, math.inf, now, outcome)
            elif outcome:
                self._end_manoeuvre(outcome)
                self.stop()

    def due(self, now: float) -> Iterator[Instruction]:
        if now >= self._expires:
            self.stats.timeouts += 1
            self._notices.append(f"no velocity for {self.timeout:g} s (cmd_vel_timeout): stopped")
            self.stand()
        if now >= self._next_keep_alive:
            self._next_keep_alive = now + KEEP_ALIVE
            self._keep_alive()
        return iter(())

    def next_time(self) -> float:
        return min(self._expires, self._next_keep_alive)

    # -- inside -----------------------------------------------------------------------------------------------

    @contextmanager
    def _counted(self) -> Iterator[None]:
        before = self.envelope.limited
        try:
            yield
        except Refused:
            self.stats.refused += 1
            raise
        self.stats.accepted += 1
        if self.envelope.limited > before == 0:
            linear, angular = self.envelope.working
            self._notices.append(
                f"velocities are scaled down to {linear:.3g} m/s and {angular:.3g} rad/s: "
                "raise max_linear_velocity or max_angular_velocity if the robot may be faster"
            )

    def _check(self) -> None:
        if not self._running:
            raise Refused(f"there is no robot to drive: {self._gone}")
        if self.emergency:
            raise Refused("the emergency stop is latched: call clear_emergency_stop first")

    def _hold(self, setpoint: Setpoint, now: float) -> None:
        """Keep a set-point until its sender falls silent."""
        self._check()
        if now < self._late_until:
            self._awake_from, self._late_until = now + WAKING, -math.inf
        if now < self._awake_from:
            raise Refused("this computer or this process slept a moment ago: the velocity may be from before")
        if setpoint and now - self._motors_off_since > MOTORS_GRACE:
            self._notices.append(
                "a velocity arrives while the motors are off: call the service enable_motors with data: true, "
                "or press MOTORS on the robot"
            )
        self._replace(setpoint, now + self.timeout if setpoint else math.inf, now)

    def _replace(
        self,
        wanted: Setpoint | Manoeuvre,
        expires: float,
        now: float,
        outcome: Outcome = _OVERTAKEN,
    ) -> None:
        if type(wanted) is not type(self.wanted):
            self._outbox.drop(Urgency.VELOCITY)
        self._end_manoeuvre(outcome)
        if self.wanted and not wanted:
            self._stops_left = STOP_REPEATS
        self.wanted, self._expires = wanted, expires
        self._next_keep_alive = now + KEEP_ALIVE
        self._driven = self._driven or bool(wanted)
        self._send_wanted()

    def _forget(self, why: str) -> None:
        """Nobody wants any movement any more; what is to be sent for that is the caller's."""
        self._end_manoeuvre(Outcome(False, why))
        if self.wanted:
            self._stops_left = STOP_REPEATS
        self.wanted = STANDING
        self._expires = math.inf
        self._outbox.drop(Urgency.VELOCITY)

    def _end_manoeuvre(self, outcome: Outcome) -> None:
        if isinstance(self.wanted, Manoeuvre) and not self.wanted.ended.done():
            self.wanted.ended.set_result(outcome)

    def _send_stop(self, *gently: Instruction) -> None:
        if self.emergency and self._running:
            # A zero would end the hard braking: to the firmware it is the next velocity.
            self._outbox.put(Command.E_STOP(), Urgency.EMERGENCY)
        elif self._running:
            for instruction in gently:
                self._outbox.put(instruction, Urgency.STOP)

    def _send_wanted(self) -> None:
        for instruction in self.wanted.instructions():
            self._outbox.put(instruction, Urgency.VELOCITY)

    def _keep_alive(self) -> None:
        """What keeps the watchdog quiet: what is wanted, stops until the robot stands, then one more stop each time.

        A robot may stand because it has heard nothing, not even that it should: then any frame but STOP lets it drive
        on (PROTOCOL 3.6). A mere pulse is enough as long as there is nothing it could drive on with.
        """
        if not (self.wanted or self._stops_left or self._moving):
            if self._driven:
                self._send_stop(Command.STOP())
            else:
                self._outbox.put(Command.PULSE(), Urgency.KEEP_ALIVE)
            return
        if not self.wanted:
            self._stops_left = max(0, self._stops_left - 1)
        if not self.emergency:
            self._send_wanted()
            return
        self._send_stop()
        if self._moving and not self._stops_left:
            # It has had time to brake hard: maybe its firmware does not know how.
            self._outbox.put(Command.STOP(), Urgency.STOP)
