"""What every controller does, whatever it speaks: the 10 ms tick that takes one command and runs everything else."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from ..profiles import Profile
from ..protocol import Packet
from .cycle import Cycle
from .drive import Drive
from .events import Event, Listener
from .guards import BatteryGuard, Watchdog
from .handshake import Session
from .hardware import Hardware
from .inbox import Inbox
from .line import Priority

#: s, the control cycle: one command is taken, the servo computes, time-outs are looked at
TICK = 0.010
#: s from one look at the battery to the next
_BATTERY_CYCLE = 0.1
#: s from a reset until the controller listens again
BOOT_TIME = 1.0


class Controller(ABC):
    """One controller and the hardware that it runs: a client's bytes in, packets and motion out. Times are in s."""

    telemetry: Cycle
    drive: Drive
    now: float  #: of the present tick
    _commands_per_tick = 1

    def __init__(self, profile: Profile, hardware: Hardware, tell: Listener) -> None:
        self.profile, self.hardware = profile, hardware
        self.now = 0.0
        self._tell = tell

    def _power_up(self, drive: Drive) -> None:
        """Begin anew: nothing heard, nothing wanted, counters at zero."""
        self.drive = drive
        self._inbox = self._new_inbox()
        self._watchdog, self._battery_guard = Watchdog(), BatteryGuard()
        self._deaf_until = self._battery_due = -math.inf

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    @abstractmethod
    def press_motors_button(self) -> None:
        """Somebody presses the button for the motors."""

    @abstractmethod
    def reset(self) -> None:
        """The RESET button, or the power: everything starts anew, after `BOOT_TIME`."""

    @abstractmethod
    def close(self, reason: str) -> None:
        """The client leaves, or is gone: the robot stands, with its motors off."""

    # --- the tick ------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run one control cycle that ends at `now`."""
        self.now = now
        parts = self.hardware
        data, last = parts.line.hear(now)
        if data and now >= self._deaf_until:
            self._inbox.feed(data, last)
        for _ in range(self._commands_per_tick):
            packet = self._inbox.take()
            if packet is not None:
                self._take(packet)
        self._check_times(now)
        self._drive()
        parts.sonar.step(now)
        parts.gyro.step(now)
        if now >= self._battery_due - TICK / 2:
            self._battery_due = now + _BATTERY_CYCLE
            self._check_battery(now)
        for port in parts.aux:
            answer = port.step(now)
            if answer is not None:
                self.answer(answer)
        self.telemetry.step(now)

    @property
    @abstractmethod
    def session(self) -> Session:
        """How far a client has come."""

    @property
    def lost_commands(self) -> int:
        """Commands that found the buffer full."""
        return self._inbox.lost

    @property
    def busy(self) -> bool:
        """Whether the next tick may have something to say although no packet of the cycle is due."""
        return len(self._inbox) > 0 or any(port.busy for port in self.hardware.aux)

    # --- what commands do ----------------------------------------------------------------------------------

    def answer(self, packet: Packet) -> None:
        """Send a packet that a command asked for."""
        self.telemetry.send(packet, Priority.ANSWER, self.now)

    def event(self, kind: str, text: str) -> None:
        """Tell whoever watches."""
        self._tell(Event(self.now, kind, text))

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors."""
        on = on and not self.hardware.fault_injector.faults.stuck_button
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"{'on' if on else 'off'} by {cause}")

    # --- parts of the tick ---------------------------------------------------------------------------------

    @abstractmethod
    def _take(self, packet: bytes) -> None:
        """A client's packet: its data."""

    @abstractmethod
    def _watchdog_limit(self) -> float:
        """s of silence that the watchdog allows; 0: any."""

    @abstractmethod
    def _watch_charge(self, volts: float, now: float) -> None:
        """The battery has these volts left."""

    def _new_inbox(self) -> Inbox:
        return Inbox(self.hardware.fault_injector)

    def _hear(self) -> None:
        """The client is there, whatever its packet says."""
        if self._watchdog.hear(self.now):
            self.drive.resume()
            self.event("watchdog", "the client is back, motion resumes")

    def _check_times(self, now: float) -> None:
        limit = self._watchdog_limit()
        if self._watchdog.bites(now, limit):
            self.drive.suspend()
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")

    def _drive(self) -> None:
        if self.hardware.fault_injector.faults.stuck_button:
            self.enable_motors(False, "the MOTORS button, which sticks")
        before = self.drive.stalls
        self.drive.step(TICK)
        for side, was, stalled in zip(("left", "right"), before, self.drive.stalls, strict=True):
            if stalled != was:
                self.event("stall", f"{side} wheel {'stalled' if stalled else 'turns again'}")
                if stalled:
                    self.hardware.sounds.cue("stall")

    def _check_battery(self, now: float) -> None:
        body, battery = self.hardware.body, self.hardware.battery
        effort = (abs(body.left.velocity) + abs(body.right.velocity)) / self.profile.limits.linear
        battery.drain(effort, self.hardware.sonar.on, _BATTERY_CYCLE)
        self._watch_charge(battery.volts, now)
