# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What every simulated controller does, independent of its protocol: the 10 ms control cycle and its supervision."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..profiles import Profile
from ..protocol import (
    ACTIVMEDIA_COMMANDS,
    BAUD_RATES,
    MAX_SEND_COUNT,
    OVERHEAD,
    Arg,
    Checksum,
    Command,
    CommandsByNumber,
    CommandTable,
    FrameDecoder,
    Packet,
    checksum,
    checksum_with_count,
    decode,
)
from ..wording import on_or_off
from .auxiliary import SimulatedAuxPort
from .battery import BatteryModel
from .body import SimulatedBody
from .contact import BumperRings
from .events import Listener, SessionState, SimulatorEvent
from .flash import Flash
from .gripper import GripperModel
from .heading import CompassSensor, GyroSensor
from .line import SendPriority, SimulatedLine
from .motion_server import Distance, Velocity
from .pins import Pins
from .sonar import SonarRing
from .sounds import SoundBoard
from .telemetry import Telemetry
from .wheel_drive import WheelDrive

#: s, the control cycle: the controller executes a command, runs the servo and checks time-outs
TICK = 0.010
#: s between two measurements of the battery
_BATTERY_CYCLE = 0.1
#: s by which a time-out may be early: rounding would otherwise delay it by a whole tick
_GRACE = 0.005
#: bytes of commands that wait for execution; a frame that does not fit is lost as a whole (docs/protocol 8.4)
_BUFFER = 256
#: s for which the voltage must stay below the limit before the robot shuts down (docs/protocol 8.5)
_SHUTDOWN_DELAY = 1.0

#: the types of the argument that a command accepts; an int for all others
_KINDS: dict[Arg, type] = {Arg.NONE: type(None), Arg.TEXT: bytes}

F = TypeVar("F", bound=Flash)
#: Executes a command, given the controller and the argument in the protocol's units.
Handler = Callable[[Any, Any], None]
Handlers = Mapping[CommandTable, Handler]


@dataclass(kw_only=True)
class Hardware:
    """The devices of one robot; they keep their state through sessions and resets."""

    line: SimulatedLine
    body: SimulatedBody
    sonar: SonarRing
    battery: BatteryModel
    pins: Pins
    sounds: SoundBoard
    aux: list[SimulatedAuxPort]  #: AUX1, AUX2, AUX3

    def __post_init__(self) -> None:
        self.bumpers, self.gripper = BumperRings(self.body), GripperModel()
        self.gyro, self.compass = GyroSensor(self.body), CompassSensor(self.body)


class Controller(ABC, Generic[F]):
    """One controller and its hardware: a client's bytes in, packets and motion out. All times in s."""

    telemetry: Telemetry
    drive: WheelDrive
    session: SessionState
    flash: F  #: what a reset loads
    tuning: F  #: the copy of it that commands change
    now: float  #: s, time of the current tick
    _low_battery_sign: str  #: what the robot does below its alarm voltage, for the event
    _commands_per_tick = 1
    #: packets that arrive while the watchdog brakes do not end the stop (docs/protocol E-35)
    _stop_completes = False
    _commands: CommandsByNumber = ACTIVMEDIA_COMMANDS
    _handlers: Handlers  #: of the firmware's commands

    def __init__(self, profile: Profile, flash: F, hardware: Hardware, on_event: Listener) -> None:
        """Connect the controller to its hardware; a subclass boots it.

        Args:
            profile: The robot's dimensions, limits and units.
            flash: Contents of the FLASH.
            hardware: Everything the controller is connected to.
            on_event: Called with each event as it happens.
        """
        self.profile, self.flash, self.hardware = profile, flash, hardware
        #: the checksum of frames in both directions
        self.check: Checksum = checksum_with_count if profile.quirks.checksum_over_count else checksum
        self.now = 0.0
        self._on_event = on_event

    def _boot(self) -> None:
        """Initialize everything as after power-up: tuning values from FLASH, no commands, counters at zero."""
        self.tuning = copy.copy(self.flash)
        self.drive = WheelDrive(self.hardware.body, self.tuning)
        self._decoder = FrameDecoder(check=self.check)
        self._waiting: deque[bytes] = deque()  #: data of the frames that a control cycle will execute
        self._booted_at = self._battery_due = -math.inf
        self._end_supervision()
        self._restart()

    def _restart(self) -> None:
        """Initialize session, devices and telemetry."""
        self.session = SessionState.WAIT
        self.hardware.sonar.restart()
        self.hardware.line.set_baud(BAUD_RATES[self.tuning.host_baud])
        self.telemetry.stop()

    def _end_supervision(self) -> None:
        """Forget the client and the voltage: the watchdog starts with the next packet."""
        self._fed_at = math.inf
        self._warned = False  #: of a low battery
        self._empty_since = math.inf  #: s

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
        self._boot()
        self._booted_at = self.now + (self.profile.physics.boot_time if seconds is None else seconds)

    def close(self, reason: str) -> None:
        """End the session.

        Args:
            reason: Text of the event.
        """
        if self.session is SessionState.OPEN:
            self.event("session closed", reason)
        self.session = SessionState.WAIT

    # --- the control cycle ---------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run one control cycle that ends at `now`."""
        self.now = now
        parts = self.hardware
        data, last = parts.line.take_received(now)
        if data and now >= self._booted_at:
            self._keep_frames(data, last)
        for _ in range(min(self._commands_per_tick, len(self._waiting))):
            self._take(self._waiting.popleft())
        self._check_time_outs(now)
        self._step_drive()
        parts.sonar.step(now)
        parts.gyro.step(now)
        if now >= self._battery_due - TICK / 2:
            self._battery_due = now + _BATTERY_CYCLE
            self._check_battery(now)
        for port in parts.aux:
            if answer := port.step(now):
                self.answer(answer)
        self.telemetry.step(now)

    @property
    def busy(self) -> bool:
        """Whether the next tick may send something although no telemetry cycle is due."""
        return bool(self._waiting) or any(port.requested for port in self.hardware.aux)

    # --- what commands do ----------------------------------------------------------------------------------

    def answer(self, packet: Packet) -> None:
        """Send a packet that a command requested."""
        self.telemetry.send(packet, SendPriority.ANSWER, self.now)

    def event(self, kind: str, text: str) -> None:
        """Report an event.

        Args:
            kind: Such as "motors" or "session opened".
            text: Description; may be empty.
        """
        self._on_event(SimulatorEvent(self.now, kind, text))

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors on or off.

        Args:
            on: The new state; a button that is pressed keeps the motors off.
            cause: For the text of the event.
        """
        on = on and not self.hardware.body.faults.stop_button
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"switched {on_or_off(on)} by {cause}")

    # --- parts of the control cycle ------------------------------------------------------------------------

    def _keep_frames(self, data: bytes, now: float) -> None:
        """Find frames in bytes that arrived until `now`; those that are longer than a firmware reads are ignored."""
        for frame in self._decoder.feed(data, now):
            used = sum(len(each) + OVERHEAD for each in (*self._waiting, frame.data))
            fits = len(frame.data) + 2 <= MAX_SEND_COUNT
            if fits and not self.hardware.body.injector.loses_packet() and used <= _BUFFER:
                self._waiting.append(frame.data)

    def _take(self, packet: bytes) -> None:
        """Process the data of a client's packet: feed the watchdog and execute the command."""
        self._fed_at = self.now
        if self.drive.server.suspended and (self.hardware.body.at_rest or not self._stop_completes):
            self.drive.server.suspended = False
            self.event("watchdog", "the client is back, motion resumes")
        instruction = decode(packet, self._commands)
        if instruction and isinstance(command := instruction.command, CommandTable):
            handler = self._handlers.get(command)
            if handler is not None and isinstance(instruction.value, _KINDS.get(command.arg, int)):
                handler(self, instruction.value)

    @abstractmethod
    def _on_empty_battery(self, volts: float) -> None:
        """React to a battery that has been below the shutdown voltage for a second."""

    def _check_time_outs(self, now: float) -> None:
        limit = self.tuning.watchdog / 1000 * self.profile.physics.watchdog_ratio
        if limit and now - self._fed_at >= limit - _GRACE and not self.drive.server.suspended:
            # The wheels decelerate to rest, but the goals stay (docs/protocol E-35).
            self.drive.server.suspended = True
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")

    def _step_drive(self) -> None:
        if self.hardware.body.faults.stop_button:
            self.enable_motors(False, "the stop button")
        before = self.drive.stalls
        self.drive.step(TICK)
        for side, was, stalled in zip(("left", "right"), before, self.drive.stalls, strict=True):
            if stalled != was:
                self.event("stall", f"{side} wheel {'stalled' if stalled else 'turns again'}")

    def _check_battery(self, now: float) -> None:
        body, battery = self.hardware.body, self.hardware.battery
        effort = (abs(body.left.velocity) + abs(body.right.velocity)) / self.profile.limits.linear
        battery.drain(effort, self.hardware.sonar.on, _BATTERY_CYCLE)
        self._supervise_battery(battery.volts, now)

    def _supervise_battery(self, volts: float, now: float) -> None:
        """React to the battery voltage in V: warn once, and ignore a dip that is shorter than a second."""
        if volts < self.tuning.low_battery / 10 and not self._warned:
            self._warned = True
            self.event("battery", f"{volts:.1f} V: {self._low_battery_sign}")
        self._empty_since = min(self._empty_since, now) if volts < self.tuning.shutdown_volts / 10 else math.inf
        if now - self._empty_since >= _SHUTDOWN_DELAY - _GRACE:
            self._on_empty_battery(volts)


#: The commands that all controllers execute alike.
SHARED_HANDLERS: Handlers = {
    Command.PULSE: lambda robot, _: None,  # its arrival has fed the watchdog
    Command.CLOSE: lambda robot, _: robot.close("the client closed it"),
    Command.CONFIG: lambda robot, _: robot.answer(robot.telemetry.config()),
    Command.ENABLE: lambda robot, value: robot.enable_motors(value != 0),
    Command.STOP: lambda robot, _: robot.drive.server.stop(),
    Command.SETO: lambda robot, _: robot.drive.odometer.zero(),
    Command.VEL: lambda robot, value: robot.drive.translate(Velocity(value / 1000)),
    Command.RVEL: lambda robot, value: robot.drive.rotate(Velocity(math.radians(value))),
    Command.MOVE: lambda robot, value: robot.drive.translate(Distance(value / 1000)),
    Command.SETV: lambda robot, value: robot.drive.limit("trans", value),
    Command.SETRV: lambda robot, value: robot.drive.limit("rot", value),
    Command.SETA: lambda robot, value: robot.drive.set_rate("trans", value),
    Command.SETRA: lambda robot, value: robot.drive.set_rate("rot", value),
}
