# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The controller of an ActivMedia robot: sessions, FLASH, line speed and bumpers (docs/protocol 8)."""

from __future__ import annotations

import copy
import math

from ...profiles import Profile
from ...protocol import BAUD_RATES, Command, Packet, Reset, SyncEcho, SyncReply
from ..controller import TICK, Controller, Hardware
from ..events import Listener, SessionState
from .commands import HANDLERS
from .dialect import SimulatedDialect, dialect_for
from .flash import ActivMediaFlash
from .telemetry import SipTelemetry

#: s without a good packet at a new HOSTBAUD until the old speed is back (AROS manual p. 51)
_BAUD_TRIAL = 0.5
#: SYNC0, SYNC1 and SYNC2 have the numbers of PULSE, OPEN and CLOSE: only the state distinguishes them.
_SYNCS = (Command.PULSE.number, Command.OPEN.number, Command.CLOSE.number)


class ActivMediaFirmware(Controller[ActivMediaFlash]):
    """The controller of an ActivMedia robot with one of the firmwares.

    Its session: WAIT --SYNC0, SYNC1, SYNC2--> SYNCED --OPEN--> OPEN --CLOSE--> WAIT (docs/protocol 3.1, 8.2).
    """

    dialect: SimulatedDialect
    telemetry: SipTelemetry
    _low_battery_sign = "low-battery alarm"
    bump_stall: int  #: a bit for each ring of bumpers, front and rear, that stalls the robot

    def __init__(self, profile: Profile, flash: ActivMediaFlash, hardware: Hardware, on_event: Listener) -> None:
        """Boot the controller with the firmware of its profile; the arguments are those of Controller."""
        super().__init__(profile, flash, hardware, on_event)
        self.dialect = dialect = dialect_for(profile.firmware)
        self._handlers = {command: handler for command, handler in HANDLERS.items() if dialect.supports(command)}
        self._commands_per_tick, self._stop_completes = dialect.commands_per_tick, dialect.stop_completes
        self.telemetry = SipTelemetry(self, dialect)
        self._taken_at = -math.inf
        self._boot()

    def _restart(self) -> None:
        """Restore the state between two sessions: tuning values from FLASH, motors, sonars and telemetry off."""
        parts, flash = self.hardware, self.flash
        self.tuning, self._expected = copy.copy(flash), 0
        super()._restart()
        self._end_supervision()
        self._baud_trial = self._zero_due = math.inf
        self.bump_stall = self._bumped = 0
        self.drive.restart(self.tuning)
        parts.battery.test_volts = None
        parts.battery.contacts_extended = False
        if self.dialect.sonar_cycle:
            parts.sonar.cycle = flash.sonar_cycle / 1000
        parts.gyro.restart()
        parts.pins.restart(self.tuning.output_pins)
        parts.compass.switch(0)
        parts.gripper.restart(self.dialect.gripper_kind * flash.gripper)
        parts.sounds.restart()
        for port in parts.aux:
            port.flush()

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    def press_motors_button(self) -> None:
        """Press the MOTORS button, which toggles the motors during a session."""
        if self.session is SessionState.OPEN:
            self.enable_motors(not self.drive.motors_on, "the MOTORS button")

    def reset(self, seconds: float | None = None) -> None:
        """Press RESET, or interrupt the power; the robot announces it."""
        self.telemetry.stop()
        self.answer(Reset())
        super().reset(seconds)

    # --- what commands do ----------------------------------------------------------------------------------

    def close(self, reason: str) -> None:
        """End the session: motors and sonars go off, tuning values return to those of FLASH, telemetry stops.

        Args:
            reason: Text of the event.
        """
        super().close(reason)
        faults = self.hardware.body.faults
        sonars_on, baud_code = self.hardware.sonar.on, self.tuning.host_baud
        self._restart()
        if faults.keep_baud:
            self._set_baud(baud_code, "also after the session")
        if faults.sonars_stay_on and sonars_on:
            self.hardware.sonar.switch(True)
            self.event("sonar", "still on after the session")

    def leave_open(self, baud: int) -> None:
        """Open a session as another program did that was killed, at a line speed in baud."""
        self._open()
        self._set_baud(BAUD_RATES.index(baud), "in the session that another program left open")

    def zero_odometry(self) -> None:
        """Execute SETO."""
        self._zero_due = self.now + self.hardware.body.faults.late_seto

    def switch_sonar(self, value: int) -> None:
        """Execute SONAR: bit 0 is the switch; on robots with several arrays the next three bits may select one."""
        sonar = self.hardware.sonar
        if self.dialect.sonar_arrays:
            sonar.switch(bool(value & 1), value >> 1 & 0b111)
        else:
            sonar.switch(value != 0)

    def request_encoders(self, value: int) -> None:
        """Execute ENCODER."""
        self.telemetry.request("encoders", value if self.dialect.encoder_once else 2 * (value > 0))

    def set_bump_stall(self, value: int) -> None:
        """Execute BUMPSTALL."""
        self.bump_stall = value & 0b11

    def change_baud(self, code: int) -> None:
        """Execute HOSTBAUD: change the line speed, and change it back unless the client follows within half a second.

        Args:
            code: Code of the speed; one that does not exist is ignored.
        """
        if self.flash.auto_baud and 0 <= code < len(BAUD_RATES):
            self._set_baud(code, "as the client requested")
            self._baud_trial = self.now + _BAUD_TRIAL

    def _set_baud(self, code: int, reason: str) -> None:
        self.tuning.host_baud = code
        self.hardware.line.set_baud(BAUD_RATES[code])
        self.event("line", f"{BAUD_RATES[code]} baud, {reason}")

    # --- parts of the control cycle ------------------------------------------------------------------------

    def _take(self, packet: bytes) -> None:
        faults = self.hardware.body.faults
        self._baud_trial = math.inf
        hurried, self._taken_at = self.now - self._taken_at < faults.hurried_close, self.now
        if self.session is SessionState.OPEN:
            if hurried and packet[0] == Command.CLOSE.number:
                self.event("session", "CLOSE came too soon after another command, and does not end it")
                return
            super()._take(packet)
            return
        if faults.refuse_low_battery and self.hardware.battery.volts < self.flash.low_battery / 10:
            return
        self._synchronize(packet[0], refuse_open=faults.refuse_open)

    def _synchronize(self, number: int, *, refuse_open: bool) -> None:
        """Process the command number of a packet that arrives before the session is open."""
        if self.session is SessionState.SYNCED:
            if number == Command.OPEN.number and not refuse_open:
                self._open()
            elif refuse_open or number == Command.CLOSE.number:
                self.session, self._expected = SessionState.WAIT, 0
        elif number in (0, self._expected):
            self._expected = number + 1
            self.answer(SyncEcho(id=number) if number < 2 else self._identity())
        elif number in _SYNCS:
            self._expected = 0
            self.answer(Reset())

    def _identity(self) -> Packet:
        """Return the answer to SYNC2, which ends the synchronization."""
        self.session, flash = SessionState.SYNCED, self.flash
        return SyncReply(name=flash.name, robot_class=flash.robot_class, subclass=flash.subclass)

    def _open(self) -> None:
        self.session = SessionState.OPEN
        self._fed_at = self.now
        self.hardware.sonar.switch(True)
        self.telemetry.start(self.now)
        self.event("session opened", self.dialect.name)

    def _check_time_outs(self, now: float) -> None:
        super()._check_time_outs(now)
        if now >= self._zero_due:
            self._zero_due = math.inf
            self.drive.odometer.zero()
        if now >= self._baud_trial:
            self._baud_trial = math.inf
            self._set_baud(self.flash.host_baud, "nothing was received at the new speed")

    def _step_drive(self) -> None:
        if self.bump_stall:
            self._check_bumpers()
        super()._step_drive()
        self.hardware.gripper.step(TICK)

    def _check_bumpers(self) -> None:
        before = self._bumped
        front, rear = self.hardware.bumpers.pressed()
        self._bumped = bool(front) | bool(rear) << 1
        if self._bumped & ~before & self.bump_stall:
            self.drive.stall()
            self.event("bumper", "a bumper touches something: the robot stalls")

    def _supervise_battery(self, volts: float, now: float) -> None:
        if self.session is SessionState.OPEN:
            super()._supervise_battery(volts, now)

    def _on_empty_battery(self, volts: float) -> None:
        self.close(f"{volts:.1f} V: the battery is empty")
