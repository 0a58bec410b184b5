# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The controller of an Erratic: it has no handshake and sends telemetry from power-up (Erratic manual app. E)."""

from __future__ import annotations

import copy
import math

from ...profiles import Profile
from ...protocol import ERRATIC_COMMANDS
from ..controller import Controller, Hardware
from ..events import Listener, SessionState
from ..motion_server import Distance
from .commands import HANDLERS
from .flash import ErraticFlash
from .telemetry import ErraticTelemetry


class ErraticFirmware(Controller[ErraticFlash]):
    """The controller of an Erratic. It executes commands before OPEN and after CLOSE, too."""

    telemetry: ErraticTelemetry
    _commands = ERRATIC_COMMANDS
    _handlers = HANDLERS
    _low_battery_sign = "the LED blinks"

    def __init__(self, profile: Profile, flash: ErraticFlash, hardware: Hardware, on_event: Listener) -> None:
        """Boot the controller; the arguments are those of Controller."""
        super().__init__(profile, flash, hardware, on_event)
        self.telemetry = ErraticTelemetry(self)
        self._boot()

    def _restart(self) -> None:
        super()._restart()
        self.telemetry.start(self.now)
        self.telemetry.heading_target, self.telemetry.distance_target = 0.0, 0
        # The maxima limit every velocity (ch. 5.5.6), not only turns and moves as in AmigOS.
        self.drive.limit("trans", self.tuning.trans_vel_max)
        self.drive.limit("rot", self.tuning.rot_vel_max)

    # --- what happens to the robot from outside the protocol -----------------------------------------------

    def press_motors_button(self) -> None:
        """Press the red button: the motors go off until the next ENABLE (ch. 2.4)."""
        self.enable_motors(False, "the motor button")

    def reset(self, seconds: float | None = None) -> None:
        """Press RESET, or interrupt the power; telemetry begins when the controller has booted."""
        super().reset(seconds)
        self.telemetry.start(self._booted_at)

    # --- what commands do ----------------------------------------------------------------------------------

    def open(self) -> None:
        """Execute OPEN: position and targets become 0, the motors go off."""
        self.session = SessionState.OPEN
        self.event("session opened", f"Erratic {self.tuning.version}.{self.tuning.subversion}")
        self.enable_motors(False, "OPEN")
        self.drive.odometer.zero()
        self.telemetry.heading_target, self.telemetry.distance_target = 0.0, 0

    def close(self, reason: str) -> None:
        """Execute CLOSE: the motors go off; telemetry and streams continue.

        Args:
            reason: Text of the event.
        """
        super().close(reason)
        self.enable_motors(False, "CLOSE")
        self.drive.server.suspended = False
        self._fed_at = math.inf

    def move(self, millimeters: int) -> None:
        """Execute MOVE."""
        self.telemetry.distance_target = millimeters
        self.drive.translate(Distance(millimeters / 1000))

    def turn_to(self, heading: float) -> None:
        """Execute HEAD: turn to a heading in rad."""
        self.telemetry.heading_target = heading
        self.drive.turn_to(heading)

    def turn_by(self, degrees: int) -> None:
        """Execute DHEAD or DCHEAD: the angles of both are relative to the current heading (docs/protocol E-51)."""
        self.turn_to(self.drive.odometer.heading + math.radians(degrees))

    def save(self) -> None:
        """Execute SAVE: write the tuning values to FLASH, from which a reset loads them."""
        self.flash = copy.copy(self.tuning)
        self.event("flash", "the tuning values were saved")

    def _on_empty_battery(self, volts: float) -> None:
        self.enable_motors(False, f"the battery, {volts:.1f} V")
