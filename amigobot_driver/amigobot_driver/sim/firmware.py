"""The ActivMedia family's controller: sessions, FLASH and what goes with them (docs/protocol.md 8)."""

from __future__ import annotations

import copy
import math

from ..profiles import Profile
from ..protocol import BAUD_RATES, Reset, SyncReply, decode
from . import commands
from .controller import BOOT_TIME, TICK, Controller
from .dialect import Dialect
from .drive import Drive
from .events import Listener
from .flash import Flash
from .guards import BatteryGuard, Charge, Watchdog
from .handshake import Handshake, Session
from .hardware import Hardware
from .telemetry import Telemetry

#: s without a good packet at a new HOSTBAUD until the old speed is back; no manual says how long
_BAUD_TRIAL = 1.0


class Firmware(Controller):
    """A dialect and its FLASH."""

    dialect: Dialect
    telemetry: Telemetry
    flash: Flash
    working: Flash  #: the parameters that commands change
    bump_stall: int  #: a bit for each ring of bumpers, front and rear, that stalls the robot

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
        super().__init__(profile, hardware, tell)
        self.dialect, self.flash = dialect, flash
        self._commands_per_tick = dialect.commands_per_tick
        self.telemetry = Telemetry(self)
        self._refuse_low_battery = refuse_low_battery
        self._boot()

    def _boot(self) -> None:
        flash = self.flash
        self._power_up(Drive(self.hardware.body, flash))
        self._handshake = Handshake(SyncReply(name=flash.name, robot_class=flash.robot_class, subclass=flash.subclass))
        self._restart()

    def _restart(self) -> None:
        """Everything as it is between two sessions: parameters from FLASH, motors and sonars off, silence."""
        parts, flash = self.hardware, self.flash
        self.working = copy.copy(flash)
        self._watchdog, self._battery_guard = Watchdog(), BatteryGuard()
        self._baud_trial = math.inf
        self.bump_stall = self._bumped = 0
        self.drive.restart(self.working)
        parts.battery.pretended = None
        parts.battery.reaching = False
        parts.sonar.restart(flash.sonar_cycle / 1000 if self.dialect.sonar_cycle else self.profile.sonar.cycle)
        parts.gyro.restart()
        parts.pins.restart(self.working)
        parts.compass.restart()
        parts.gripper.restart(self.dialect.gripper_kind * flash.gripper)
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
        self._boot()
        self._deaf_until = self.now + BOOT_TIME

    @property
    def session(self) -> Session:
        return self._handshake.state

    # --- what commands do ----------------------------------------------------------------------------------

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
        self._hear()
        instruction = decode(packet)
        if instruction is not None:
            commands.execute(self, instruction)

    def _open(self) -> None:
        self._watchdog.hear(self.now)
        self.hardware.sonar.switch(True)
        self.telemetry.start(self.now)
        self.event("session opened", self.dialect.name)
        self.hardware.sounds.cue("connected")

    def _watchdog_limit(self) -> float:
        return self.working.watchdog / 1000

    def _check_times(self, now: float) -> None:
        super()._check_times(now)
        if now >= self._baud_trial:
            self._baud_trial = math.inf
            self._set_baud(self.flash.host_baud, "nothing was heard at the new speed")

    def _drive(self) -> None:
        if self.bump_stall:
            self._feel_bumpers()
        super()._drive()
        self.hardware.gripper.step(TICK)

    def _feel_bumpers(self) -> None:
        before = self._bumped
        front, rear = self.hardware.bumpers.pressed()
        self._bumped = bool(front) | bool(rear) << 1
        if self._bumped & ~before & self.bump_stall:
            self.drive.bump()
            self.event("bumper", "something was hit: the robot stalls")

    def _watch_charge(self, volts: float, now: float) -> None:
        if self.session is not Session.OPEN:
            return
        found = self._battery_guard.check(volts, self.working.low_battery / 10, self.working.shutdown_volts / 10, now)
        if found is Charge.LOW:
            self.event("battery", f"{volts:.1f} V: low-battery alarm")
            self.hardware.sounds.cue("low battery")
        elif found is Charge.EMPTY:
            self.close(f"{volts:.1f} V: the battery is empty")
