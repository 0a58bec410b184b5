"""The controller's program: the 10 ms tick that takes one command and runs everything else (PROTOCOL 8)."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

from ..profiles import Profile
from ..protocol import BAUD_RATES, Packet, Reset, SyncReply, decode
from . import commands
from .auxiliary import AuxPort
from .battery import Battery
from .body import Body
from .dialect import Dialect
from .drive import Drive
from .events import Event, Listener
from .faults import Mischief
from .flash import Flash
from .gyro import GyroSensor
from .handshake import Handshake, Session
from .inbox import Inbox
from .line import Line, Priority
from .pins import Pins
from .sonar import SonarRing
from .sounds import SoundBoard
from .telemetry import Telemetry

#: s, the control cycle: one command is taken, the servo computes, time-outs are looked at
TICK = 0.010
#: s from one look at the battery to the next
_BATTERY_CYCLE = 0.1
#: s that the voltage must be below the limit before the robot gives up
_CUT_OFF_DELAY = 1.0
#: s from a reset until the controller listens again
_BOOT_TIME = 1.0
#: s without a good packet at a new HOSTBAUD until the old speed is back; no manual says how long
_BAUD_TRIAL = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """What the controller is wired to."""

    body: Body
    sonar: SonarRing
    gyro: GyroSensor
    battery: Battery
    pins: Pins
    sounds: SoundBoard
    aux: tuple[AuxPort, ...]
    line: Line
    mischief: Mischief


class Firmware:
    """One controller: a dialect, its FLASH, and the hardware that it runs. Times are in s."""

    body: Body
    sonar: SonarRing
    gyro: GyroSensor
    battery: Battery
    pins: Pins
    sounds: SoundBoard
    aux: tuple[AuxPort, ...]
    line: Line
    drive: Drive
    telemetry: Telemetry
    flash: Flash
    working: Flash  #: the parameters that commands change
    now: float  #: of the present tick

    def __init__(
        self,
        profile: Profile,
        dialect: Dialect,
        flash: Flash,
        hardware: Hardware,
        tell: Listener,
        *,
        refuse_low_battery: bool,
    ) -> None:
        self.profile, self.dialect, self.flash = profile, dialect, flash
        self.body, self.battery, self.line = hardware.body, hardware.battery, hardware.line
        self.sonar, self.gyro, self.pins = hardware.sonar, hardware.gyro, hardware.pins
        self.sounds, self.aux = hardware.sounds, hardware.aux
        self._mischief = hardware.mischief
        self.telemetry = Telemetry(self)
        self.now = 0.0
        self._refuse_low_battery = refuse_low_battery
        self._tell = tell
        self._power_up()

    def _power_up(self) -> None:
        self._inbox = Inbox(self._mischief)
        identity = SyncReply(name=self.flash.name, robot_class=self.flash.robot_class, subclass=self.flash.subclass)
        self._handshake = Handshake(identity)
        self.drive = Drive(self.body, self.flash)
        self._deaf_until = self._battery_due = -math.inf
        self._restart()

    def _restart(self) -> None:
        """Everything as it is between two sessions: parameters from FLASH, motors and sonars off, silence."""
        self.working = copy.copy(self.flash)
        self._suspended = False
        self._heard = self._baud_trial = math.inf
        self._low_since: float | None = None
        self._warned = False
        self.battery.pretended = None
        self.drive.restart(self.working)
        by_flash = self.dialect.sonar_cycle
        self.sonar.restart(self.flash.sonar_cycle / 1000 if by_flash else self.profile.sonar.cycle)
        self.gyro.restart()
        self.pins.restart(self.working)
        self.sounds.restart()
        for port, code in zip(
            self.aux, (self.flash.aux1_baud, self.flash.aux2_baud, self.flash.aux3_baud), strict=True
        ):
            port.restart(code)
        self.telemetry.stop()
        self.line.set_baud(BAUD_RATES[self.flash.host_baud])

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    def press_motors_button(self) -> None:
        """The MOTORS button: toggles the motors during a session."""
        if self.session is Session.OPEN:
            self.enable_motors(not self.drive.motors_on, "the MOTORS button")

    def reset(self) -> None:
        """The RESET button, or the command: everything starts anew."""
        self.event("reset", "")
        self.telemetry.stop()
        self.answer(Reset())
        self._power_up()
        self._deaf_until = self.now + _BOOT_TIME

    # --- the tick ------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run one control cycle that ends at `now`."""
        self.now = now
        data, last = self.line.hear(now)
        if data and now >= self._deaf_until:
            self._inbox.feed(data, last)
        packet = self._inbox.take()
        if packet is not None:
            self._take(packet)
        self._check_times(now)
        self._drive()
        self.sonar.step(now)
        self.gyro.step(now)
        if now >= self._battery_due - TICK / 2:
            self._battery_due = now + _BATTERY_CYCLE
            self._check_battery(now)
        for port in self.aux:
            answer = port.step(now)
            if answer is not None:
                self.answer(answer)
        self.telemetry.step(now)

    @property
    def session(self) -> Session:
        """How far a client has come."""
        return self._handshake.state

    @property
    def busy(self) -> bool:
        """Whether the next tick may have something to say although no SIP is due."""
        return len(self._inbox) > 0 or any(port.busy for port in self.aux)

    # --- what commands do ----------------------------------------------------------------------------------

    def answer(self, packet: Packet) -> None:
        """Send a packet that a command asked for."""
        self.telemetry.send(packet, Priority.ANSWER, self.now)

    def event(self, kind: str, text: str) -> None:
        """Tell whoever watches."""
        self._tell(Event(self.now, kind, text))

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors."""
        on = on and not self._mischief.faults.stuck_button
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"{'on' if on else 'off'} by {cause}")

    def close(self, reason: str) -> None:
        """End the session."""
        if self.session is Session.OPEN:
            self.sounds.cue("disconnected")
            self.event("session closed", reason)
        self._handshake.close()
        self._restart()

    def change_baud(self, code: int) -> None:
        """HOSTBAUD: talk at another speed from now on, as long as the client is heard there."""
        if self.flash.auto_baud and 0 <= code < len(BAUD_RATES):
            self._set_baud(code, "as the client asked")
            self._baud_trial = self.now + _BAUD_TRIAL

    def _set_baud(self, code: int, reason: str) -> None:
        self.working.host_baud = code
        self.line.set_baud(BAUD_RATES[code])
        self.event("line", f"{BAUD_RATES[code]} baud, {reason}")

    def enter_maintenance(self) -> None:
        """MAINTENANCE: the loader runs, and only RESET ends it."""
        self.close("the firmware loader runs")
        self._deaf_until = math.inf

    # --- parts of the tick ---------------------------------------------------------------------------------

    def _take(self, packet: bytes) -> None:
        self._baud_trial = math.inf
        if self.session is Session.OPEN:
            self._obey(packet)
            return
        if self._refuse_low_battery and self.battery.volts < self.flash.low_battery / 10:
            return
        answer = self._handshake.take(packet[0])
        if answer is not None:
            self.answer(answer)
        if self._handshake.state is Session.OPEN:
            self._open()

    def _obey(self, packet: bytes) -> None:
        self._heard = self.now
        if self._suspended:
            self._suspended = False
            self.drive.resume()
            self.event("watchdog", "the client is back, motion resumes")
        instruction = decode(packet)
        if instruction is not None:
            commands.execute(self, instruction)

    def _open(self) -> None:
        self._heard = self.now
        self.sonar.switch(True)
        self.telemetry.start(self.now)
        self.event("session opened", self.dialect.name)
        self.sounds.cue("connected")

    def _check_times(self, now: float) -> None:
        limit = self.working.watchdog / 1000
        if limit and not self._suspended and now - self._heard >= limit - TICK / 2:
            self._suspended = True
            self.drive.suspend()
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")
        if now >= self._baud_trial:
            self._baud_trial = math.inf
            self._set_baud(self.flash.host_baud, "nothing was heard at the new speed")

    def _drive(self) -> None:
        if self._mischief.faults.stuck_button:
            self.enable_motors(False, "the MOTORS button, which sticks")
        before = self.drive.stalls
        self.drive.step(TICK)
        for side, was, stalled in zip(("left", "right"), before, self.drive.stalls, strict=True):
            if stalled != was:
                self.event("stall", f"{side} wheel {'stalled' if stalled else 'turns again'}")
                if stalled:
                    self.sounds.cue("stall")

    def _check_battery(self, now: float) -> None:
        left, right = self.body.left.velocity, self.body.right.velocity
        effort = (abs(left) + abs(right)) / self.profile.limits.linear
        self.battery.drain(effort, self.sonar.on, _BATTERY_CYCLE)
        if self.session is not Session.OPEN:
            return
        volts = self.battery.volts
        if volts < self.working.low_battery / 10 and not self._warned:
            self._warned = True
            self.event("battery", f"{volts:.1f} V: low-battery alarm")
            self.sounds.cue("low battery")
        if volts >= self.working.shutdown_volts / 10:
            self._low_since = None
        elif self._low_since is None:
            self._low_since = now
        elif now - self._low_since >= _CUT_OFF_DELAY:
            self.close(f"{volts:.1f} V: the battery is empty")
