"""The velocity somebody wants, for as long as they want it: limits, time-out, keep-alive, emergency stop (DESIGN 5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..protocol import Command, Instruction, Packet, Sip
from .events import Event, Notice
from .feature import Feature
from .outbox import Outbox, Urgency

#: s between two keep-alives; the firmware's watchdog is 2 s, so several may be lost.
KEEP_ALIVE = 0.25
#: Times a zero is sent anew after the last non-zero velocity: frames get lost and nobody acknowledges.
ZERO_REPEATS = 3
#: s the motors may be off before a velocity that arrives is told so; after connecting they are on their way.
MOTORS_GRACE = 1.0


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


STANDING = Velocity()


@dataclass(slots=True)
class MotionStats:
    """What became of the velocities that were asked for."""

    accepted: int = 0
    refused: int = 0
    limited: int = 0
    timeouts: int = 0


class Motion(Feature):
    """Holds the wanted velocity and puts into the outbox what has to be sent for it.

    `working` are the limits velocities are scaled down to; `capable` what the robot can do at all, anything beyond
    is refused as a mistake. Both (m/s, rad/s).
    """

    def __init__(self, outbox: Outbox, capable: tuple[float, float], timeout: float) -> None:
        self.capable = capable
        self.working = capable
        self.timeout = timeout
        self.stats = MotionStats()
        self.emergency = False
        self.velocity = STANDING  #: what the robot should be doing now
        self._outbox = outbox
        self._running = False
        self._moving = False
        self._motors_off_since = math.inf
        self._expires = math.inf
        self._next_keep_alive = math.inf
        self._zeros_left = 0
        self._notices: list[str] = []

    # -- wishes -----------------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity (m/s, rad/s) until `timeout` from now. Raises Refused."""
        try:
            velocity = self._admit(linear, angular)
        except Refused:
            self.stats.refused += 1
            raise
        self.stats.accepted += 1
        if velocity and now - self._motors_off_since > MOTORS_GRACE:
            self._notices.append(
                "a velocity arrives while the motors are off: call the service enable_motors with data: true, "
                "or press MOTORS on the robot"
            )
        if self.velocity and not velocity:
            self._zeros_left = ZERO_REPEATS
        self.velocity = velocity
        self._expires = now + self.timeout if velocity else math.inf
        self._next_keep_alive = now + KEEP_ALIVE
        for instruction in velocity.instructions():
            self._outbox.put(instruction, Urgency.VELOCITY)

    def stop(self) -> None:
        """Stop both movements at once with one frame, then zero them."""
        self._forget()
        if self._running:
            self._outbox.put(Command.STOP(), Urgency.STOP)

    def stand(self) -> None:
        """Zero both velocities before anything else goes out, lest an old one comes to life."""
        self._forget()
        if self._running:
            for instruction in STANDING.instructions():
                self._outbox.put(instruction, Urgency.STOP)

    def brake(self) -> None:
        """Emergency stop: brake as hard as the robot can and refuse every velocity until `release`."""
        self._forget()
        # A zero would end the hard braking: to the firmware it is the next velocity.
        self._zeros_left = 0
        self.emergency = True
        self._outbox.drop(Urgency.STOP, Urgency.KEEP_ALIVE)
        if self._running:
            self._outbox.put(Command.E_STOP(), Urgency.EMERGENCY)

    def release(self) -> None:
        """End the emergency stop; the robot stands until a velocity comes."""
        self.emergency = False
        self._forget()

    # -- the session's side -----------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        self._running = True
        self._next_keep_alive = now + KEEP_ALIVE
        self.stop()
        self.stand()

    def end(self, why: str) -> None:
        self._forget()
        self._running = False
        self._motors_off_since = math.inf
        self._next_keep_alive = math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            self._moving = packet.moving
            self._motors_off_since = math.inf if packet.motors_enabled else min(now, self._motors_off_since)
        while self._notices:
            yield Notice(self._notices.pop(0))

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

    def _admit(self, linear: float, angular: float) -> Velocity:
        if not self._running:
            raise Refused("there is no robot to drive")
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
        if scale < 1.0 and not self.stats.limited:
            self._notices.append(
                f"velocities are scaled down to {self.working[0]:.3g} m/s and {self.working[1]:.3g} rad/s: "
                "raise max_linear_velocity or max_angular_velocity if the robot may be faster"
            )
        self.stats.limited += scale < 1.0
        return Velocity(round(linear * scale * 1000), round(math.degrees(angular * scale)))

    def _forget(self) -> None:
        """Nobody wants any velocity any more."""
        if self.velocity:
            self._zeros_left = ZERO_REPEATS
        self.velocity = STANDING
        self._expires = math.inf
        self._outbox.drop(Urgency.VELOCITY)

    def _keep_alive(self) -> None:
        """What keeps the watchdog quiet: the velocity while it is wanted, zeros until they have surely arrived."""
        if self.emergency and self._moving:
            self._outbox.put(Command.E_STOP(), Urgency.EMERGENCY)
        elif self.velocity or self._zeros_left:
            self._zeros_left -= not self.velocity
            for instruction in self.velocity.instructions():
                self._outbox.put(instruction, Urgency.VELOCITY)
        else:
            self._outbox.put(Command.PULSE(), Urgency.KEEP_ALIVE)
