"""The Erratic's controller: no handshake, it streams from power-up and obeys whoever is there (Erratic manual E)."""

from __future__ import annotations

import copy
import math
from typing import ClassVar

from ...profiles import Profile
from ...protocol import BAUD_RATES, Checksum, ErraticCommand, checksum, checksum_with_count, decode
from ..controller import BOOT_TIME, Controller
from ..drive import Drive
from ..events import Listener
from ..guards import Charge, Watchdog
from ..handshake import Session
from ..hardware import Hardware
from ..inbox import Inbox
from ..keywords import from_keywords
from . import commands
from .flash import ErraticFlash
from .revision import Revision
from .telemetry import Telemetry

_SERVOS = 3


class ErraticFirmware(Controller):
    """A revision and its FLASH. OPEN and CLOSE are commands like others: it obeys before, between and after them."""

    LETTER: ClassVar[str] = "E"  #: by which a profile chooses it

    telemetry: Telemetry
    working: ErraticFlash  #: the parameters that commands change
    heading_target: float  #: rad, of the last turn to a heading
    distance_target: int  #: mm, of the last move over a distance
    servos: list[int | None]  #: the last position of each; None: it was never told one

    def __init__(
        self, profile: Profile, revision: Revision, flash: ErraticFlash, hardware: Hardware, tell: Listener
    ) -> None:
        super().__init__(profile, hardware, tell)
        self.revision, self.flash = revision, flash
        self.telemetry = Telemetry(self)
        self._boot()

    def _boot(self) -> None:
        parts = self.hardware
        self.working = copy.copy(self.flash)
        self._power_up(Drive(parts.body, self.working))
        self._session = Session.WAIT
        self.heading_target, self.distance_target = 0.0, 0
        self.servos = [None] * _SERVOS
        # The maxima limit every velocity (ch. 5.5.6), not only turns and moves as in AmigOS.
        self.drive.limit_speed(self.working.trans_vel_max)
        self.drive.limit_turn_rate(self.working.rot_vel_max)
        parts.sonar.restart(self.profile.sonar.cycle)
        parts.line.set_baud(BAUD_RATES[self.working.baud_host])
        self.telemetry.stop()

    @property
    def check(self) -> Checksum:
        """What it takes for a checksum."""
        return checksum if self.revision.checksum == "data" else checksum_with_count

    def _new_inbox(self) -> Inbox:
        return Inbox(self.hardware.fault_injector, self.check)

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    def press_motors_button(self) -> None:
        """The red button cuts the motors' power; only ENABLE brings it back (ch. 2.4)."""
        self.enable_motors(False, "the motor button")

    def reset(self) -> None:
        """The power goes and comes back: what was not saved is lost."""
        self.event("reset", "")
        self._boot()
        self._deaf_until = self.now + BOOT_TIME

    # --- the tick ------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        if not self._streaming and now >= self._deaf_until:
            self.telemetry.start(now)
        super().tick(now)

    @property
    def _streaming(self) -> bool:
        return not math.isinf(self.telemetry.next_due)

    @property
    def busy(self) -> bool:
        return not self._streaming or super().busy

    @property
    def session(self) -> Session:
        return self._session

    # --- what commands do ----------------------------------------------------------------------------------

    def open(self) -> None:
        """OPEN: at the origin, with the motors off."""
        self._session = Session.OPEN
        self.event("session opened", f"Erratic {self.working.version}.{self.working.subversion}")
        self.enable_motors(False, "OPEN")
        self.drive.odometer.zero()
        self.heading_target, self.distance_target = 0.0, 0

    def close(self, reason: str) -> None:
        """CLOSE: the motors go off, and nothing else: the streams go on."""
        if self._session is Session.OPEN:
            self.event("session closed", reason)
        self._session = Session.WAIT
        self.enable_motors(False, "CLOSE")
        self.drive.resume()
        self._watchdog = Watchdog()

    def save(self) -> None:
        """SAVE: what the parameters are now, they are after the next reset."""
        self.flash = copy.copy(self.working)
        self.event("flash", "the parameters were saved")

    def move_servo(self, number: int, position: int) -> None:
        """SERVO."""
        self.servos[number] = position
        self.event("servo", f"{number} to {position}")

    # --- parts of the tick ---------------------------------------------------------------------------------

    def _take(self, packet: bytes) -> None:
        self._hear()
        instruction = decode(packet, ErraticCommand)
        if instruction is not None:
            commands.execute(self, instruction)

    def _watchdog_limit(self) -> float:
        return self.working.watchdog / 1000

    def _watch_charge(self, volts: float, now: float) -> None:
        found = self._battery_guard.check(volts, self.working.low_battery / 10, self.profile.battery.cutoff, now)
        if found is Charge.LOW:
            self.event("battery", f"{volts:.1f} V: the LED blinks")
        elif found is Charge.EMPTY:
            self.enable_motors(False, f"the battery, {volts:.1f} V")


def build_erratic(
    profile: Profile,
    revision: Revision,
    hardware: Hardware,
    tell: Listener,
    *,
    name: str | None = None,
    baud: int | None = None,
) -> ErraticFirmware:
    """The controller of a profile's Erratic; `baud` is a code. Raises ProfileError."""
    body = profile.body
    overrides = profile.flash if name is None else {**profile.flash, "Name": name}
    flash = from_keywords(ErraticFlash, overrides, profile.name, wheel_diameter=body.wheel_diameter, track=body.track)
    if baud is not None:
        flash.baud_host = baud
    return ErraticFirmware(profile, revision, flash, hardware, tell)
