# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What every simulated controller does, independent of its protocol: the 10 ms control cycle and its supervision."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from ..profiles import Profile
from ..protocol import ACTIVMEDIA_COMMANDS, Arg, Checksum, CommandsByNumber, CommandTable, Packet, checksum, decode
from ..wording import on_or_off
from .command_buffer import CommandBuffer
from .drive import Drive
from .events import Listener, SimulatorEvent
from .guards import BatteryGuard, Watchdog
from .hardware import Hardware
from .line import SendPriority
from .parameters import FlashParameters
from .session import SessionState
from .telemetry import Telemetry

#: s, the control cycle: the controller executes a command, runs the servo and checks time-outs
TICK = 0.010
#: s between two measurements of the battery
_BATTERY_CYCLE = 0.1

#: the types of the argument that a command accepts; an int for all others
_KINDS: dict[Arg, type] = {Arg.NONE: type(None), Arg.TEXT: bytes}

P = TypeVar("P", bound=FlashParameters)
Rows = Mapping[CommandTable, Callable[[Any, Any], None]]


class Controller(ABC, Generic[P]):
    """One controller and its hardware: a client's bytes in, packets and motion out. All times in s."""

    telemetry: Telemetry
    drive: Drive
    flash: P  #: the parameters that a reset loads
    working: P  #: the parameters that commands change
    now: float  #: s, time of the current tick
    _commands_per_tick = 1
    _commands: CommandsByNumber = ACTIVMEDIA_COMMANDS

    def __init__(self, profile: Profile, flash: P, hardware: Hardware, on_event: Listener, rows: Rows) -> None:
        """Connect the controller to its hardware; a subclass boots it.

        Args:
            profile: The robot's dimensions, limits and units.
            flash: Contents of the FLASH.
            hardware: Everything the controller is connected to.
            on_event: Called with each event as it happens.
            rows: What each command does, given the controller and the argument as the wire had it.
        """
        self.profile, self.flash, self.hardware, self._rows = profile, flash, hardware, rows
        self.now = 0.0
        self._on_event = on_event

    @abstractmethod
    def _boot(self) -> None:
        """Initialize everything as after power-up; calls `_power_up`."""

    def _power_up(self) -> None:
        """Initialize what all controllers have: parameters from FLASH, no commands, counters at zero."""
        self.working = copy.copy(self.flash)
        self.drive = Drive(self.profile.physics, self.hardware.body, self.working)
        self._command_buffer = CommandBuffer(self.hardware.fault_injector, self.check)
        self._watchdog, self._battery_guard = Watchdog(), BatteryGuard()
        self._booted_at = self._battery_due = -math.inf

    @property
    def check(self) -> Checksum:
        """The checksum of frames in both directions."""
        return checksum

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    @abstractmethod
    def press_motors_button(self) -> None:
        """Press the robot's button for the motors."""

    def reset(self, seconds: float | None = None) -> None:
        """Press RESET, or interrupt the power: all is initialized.

        Args:
            seconds: Time for which bytes are ignored; None is `physics.boot_time`.
        """
        self.event("reset", "")
        self._announce_reset()
        self._boot()
        self._booted_at = self.now + (self.profile.physics.boot_time if seconds is None else seconds)

    def _announce_reset(self) -> None:
        """Send what the controller sends before it restarts."""

    @abstractmethod
    def close(self, reason: str) -> None:
        """End the session and switch the motors off.

        Args:
            reason: Text of the event.
        """

    # --- the control cycle ---------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run one control cycle that ends at `now`."""
        self.now = now
        parts = self.hardware
        data, last = parts.line.take_received(now)
        if data and now >= self._booted_at:
            self._command_buffer.feed(data, last)
        for _ in range(self._commands_per_tick):
            packet = self._command_buffer.take()
            if packet is not None:
                self._take(packet)
        self._check_time_outs(now)
        self._step_drive()
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
    def session(self) -> SessionState:
        """The state of the client's session."""

    @property
    def lost_commands(self) -> int:
        """Number of commands that did not fit into the command buffer."""
        return self._command_buffer.lost

    @property
    def busy(self) -> bool:
        """Whether the next tick may send something although no telemetry cycle is due."""
        return len(self._command_buffer) > 0 or any(port.busy for port in self.hardware.aux)

    # --- what commands do ----------------------------------------------------------------------------------

    def answer(self, packet: Packet) -> None:
        """Send a packet that a command requested."""
        self.telemetry.send(packet, SendPriority.ANSWER, self.now)

    def event(self, kind: str, text: str) -> None:
        """Report an event.

        Args:
            kind: Topic, such as "motors" or "session opened".
            text: Description; may be empty.
        """
        self._on_event(SimulatorEvent(self.now, kind, text))

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors on or off.

        Args:
            on: The new state; a button that is pressed keeps the motors off.
            cause: For the text of the event.
        """
        on = on and not self.hardware.fault_injector.faults.stop_button
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"switched {on_or_off(on)} by {cause}")

    # --- parts of the control cycle ------------------------------------------------------------------------

    def _take(self, packet: bytes) -> None:
        """Process the data of a client's packet: feed the watchdog and execute the command."""
        if self._watchdog.feed(self.now):
            self.drive.resume()
            self.event("watchdog", "the client is back, motion resumes")
        instruction = decode(packet, self._commands)
        command = instruction.command if instruction else None
        if instruction and isinstance(command, CommandTable) and self._supports(command):
            row = self._rows.get(command)
            if row is not None and isinstance(instruction.value, _KINDS.get(command.arg, int)):
                row(self, instruction.value)

    def _supports(self, command: CommandTable) -> bool:
        """Return whether the firmware has a command."""
        return True

    @abstractmethod
    def _check_charge(self, volts: float, now: float) -> None:
        """React to the battery voltage in V."""

    def _check_time_outs(self, now: float) -> None:
        limit = self.working.watchdog / 1000 * self.profile.physics.watchdog_ratio
        if self._watchdog.check(now, limit):
            self.drive.suspend()
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")

    def _step_drive(self) -> None:
        if self.hardware.fault_injector.faults.stop_button:
            self.enable_motors(False, "the stop button")
        before = self.drive.stalls
        self.drive.step(TICK)
        after = self.drive.stalls
        if after == before:
            return
        for side, was, stalled in zip(("left", "right"), before, after, strict=True):
            if stalled != was:
                self.event("stall", f"{side} wheel {'stalled' if stalled else 'turns again'}")

    def _check_battery(self, now: float) -> None:
        body, battery = self.hardware.body, self.hardware.battery
        effort = (abs(body.left.velocity) + abs(body.right.velocity)) / self.profile.limits.linear
        battery.drain(effort, self.hardware.sonar.on, _BATTERY_CYCLE)
        self._check_charge(battery.volts, now)
