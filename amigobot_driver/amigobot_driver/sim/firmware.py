"""The controller's program: the 10 ms tick that takes one command and runs everything else (PROTOCOL 8)."""

from __future__ import annotations

import copy
import math

from ..profiles import Profile
from ..protocol import BAUD_RATES, Packet, Reset, SyncReply, decode
from . import commands
from .dialect import Dialect
from .drive import Drive
from .events import Event, Listener
from .flash import Flash
from .guards import BatteryGuard, Charge, Watchdog
from .handshake import Handshake, Session
from .hardware import Hardware
from .inbox import Inbox
from .line import Priority
from .telemetry import Telemetry

#: s, the control cycle: one command is taken, the servo computes, time-outs are looked at
TICK = 0.010
#: s from one look at the battery to the next
_BATTERY_CYCLE = 0.1
#: s from a reset until the controller listens again
_BOOT_TIME = 1.0
#: s without a good packet at a new HOSTBAUD until the old speed is back; no manual says how long
_BAUD_TRIAL = 1.0


class Firmware:
    """One controller: a dialect, its FLASH, and the hardware that it runs. Times are in s."""

    dialect: Dialect
    hardware: Hardware
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
        self.profile, self.dialect, self.flash, self.hardware = profile, dialect, flash, hardware
        self.telemetry = Telemetry(self)
        self.now = 0.0
        self._tell = tell
        self._refuse_low_battery = refuse_low_battery
        self._power_up()

    def _power_up(self) -> None:
        flash = self.flash
        self._inbox = Inbox(self.hardware.mischief)
        self._handshake = Handshake(SyncReply(name=flash.name, robot_class=flash.robot_class, subclass=flash.subclass))
        self.drive = Drive(self.hardware.body, flash)
        self._deaf_until = self._battery_due = -math.inf
        self._restart()

    def _restart(self) -> None:
        """Everything as it is between two sessions: parameters from FLASH, motors and sonars off, silence."""
        parts, flash = self.hardware, self.flash
        self.working = copy.copy(flash)
        self._watchdog, self._battery_guard = Watchdog(), BatteryGuard()
        self._baud_trial = math.inf
        self.drive.restart(self.working)
        parts.battery.pretended = None
        parts.sonar.restart(flash.sonar_cycle / 1000 if self.dialect.sonar_cycle else self.profile.sonar.cycle)
        parts.gyro.restart()
        parts.pins.restart(self.working)
        parts.sounds.restart()
        for port, code in zip(parts.aux, (flash.aux1_baud, flash.aux2_baud, flash.aux3_baud), strict=True):
            port.restart(code)
        self.telemetry.stop()
        parts.line.set_baud(BAUD_RATES[flash.host_baud])

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
        parts = self.hardware
        data, last = parts.line.hear(now)
        if data and now >= self._deaf_until:
            self._inbox.feed(data, last)
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
    def session(self) -> Session:
        """How far a client has come."""
        return self._handshake.state

    @property
    def lost_commands(self) -> int:
        """Commands that found the buffer full."""
        return self._inbox.lost

    @property
    def busy(self) -> bool:
        """Whether the next tick may have something to say although no SIP is due."""
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
        on = on and not self.hardware.mischief.faults.stuck_button
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"{'on' if on else 'off'} by {cause}")

    def close(self, reason: str) -> None:
        """End the session."""
        if self.session is Session.OPEN:
            self.hardware.sounds.cue("disconnected")
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
        self.hardware.line.set_baud(BAUD_RATES[code])
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
        if self._refuse_low_battery and self.hardware.battery.volts < self.flash.low_battery / 10:
            return
        answer = self._handshake.take(packet[0])
        if answer is not None:
            self.answer(answer)
        if self._handshake.state is Session.OPEN:
            self._open()

    def _obey(self, packet: bytes) -> None:
        if self._watchdog.hear(self.now):
            self.drive.resume()
            self.event("watchdog", "the client is back, motion resumes")
        instruction = decode(packet)
        if instruction is not None:
            commands.execute(self, instruction)

    def _open(self) -> None:
        self._watchdog.hear(self.now)
        self.hardware.sonar.switch(True)
        self.telemetry.start(self.now)
        self.event("session opened", self.dialect.name)
        self.hardware.sounds.cue("connected")

    def _check_times(self, now: float) -> None:
        limit = self.working.watchdog / 1000
        if self._watchdog.bites(now, limit):
            self.drive.suspend()
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")
        if now >= self._baud_trial:
            self._baud_trial = math.inf
            self._set_baud(self.flash.host_baud, "nothing was heard at the new speed")

    def _drive(self) -> None:
        if self.hardware.mischief.faults.stuck_button:
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
        if self.session is not Session.OPEN:
            return
        volts = battery.volts
        found = self._battery_guard.check(volts, self.working.low_battery / 10, self.working.shutdown_volts / 10, now)
        if found is Charge.LOW:
            self.event("battery", f"{volts:.1f} V: low-battery alarm")
            self.hardware.sounds.cue("low battery")
        elif found is Charge.EMPTY:
            self.close(f"{volts:.1f} V: the battery is empty")
