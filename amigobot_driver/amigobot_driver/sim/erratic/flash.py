# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters of an Erratic, with its manual's defaults (Erratic manual app. A; docs/protocol 6.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ...protocol import ErraticCommand
from ..fields import WORD, parameter, text
from ..flash import Flash

#: Hz of the timer that PwmWrap counts: 1000 counts make the 16 kHz of the manual
_PWM_CLOCK = 16_000_000


@dataclass(slots=True, kw_only=True)
class ErraticFlash(Flash):
    """FLASH and tuning values, under the names of the configuration packet.

    Units as in `Flash`; PWM and stall values in counts of the PWM timer.
    """

    STALL_PERIOD: ClassVar[int] = 5  # the servo of the real controller runs 200 times a second
    BRAKES_ONLY_TO_ZERO: ClassVar[bool] = True

    name: str = text("Name", "Erratic-1", blanks=True)
    type: str = text("Type", "Erratic", blanks=True)
    subtype: str = text("Subtype", "Rev E", blanks=True)
    serial: str = text("Serial", "1234", length=9, blanks=True)
    version: int = parameter("Version", 1, 0, 255)
    subversion: int = parameter("SubVersion", 0, 0, 255)
    host_baud: int = parameter("BaudHost", 2, 0, 4)
    aux1_baud: int = parameter("BaudAux", 0, 0, 4)
    #: encoder counts in one turn of a wheel
    rev_count: int = parameter("RevCount", 38400, 1, 0xFFFF)
    watchdog: int = parameter("WatchDog", 2000, 0, 0xFFFF)
    stall_val: int = parameter("StallVal", 700)
    stall_count: int = parameter("StallCount", 20)
    pwm_max: int = parameter("PwmMax", 700)
    pwm_wrap: int = parameter("PwmWrap", 1000, 1)
    trans_vel_max: int = parameter("TransVelMax", 1000, 1)
    rot_acc: int = parameter("RotAcc", 400, 1)
    trans_acc: int = parameter("TransAcc", 400, 1)
    rot_decel: int = parameter("RotDecel", 400, 1)
    trans_decel: int = parameter("TransDecel", 400, 1)
    sonar_conv: int = parameter("SonarConv", 350)
    # The firmware knows the battery and the dimensions (m) of its robot.
    shutdown_volts: float
    wheel_diameter: float
    track: float

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel."""
        return self.rev_count / (math.pi * self.wheel_diameter)

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""
        return math.pi * self.track * self.ticks_per_meter

    @property
    def full_pwm(self) -> int:
        """PWM counts of the full battery voltage."""
        return self.pwm_wrap

    def set_pwm_frequency(self, hertz: int) -> None:
        """Execute PWM_FREQ: scale all values that count the PWM timer, so that duty and stall limit stay.

        Args:
            hertz: Frequency of the motors' PWM in Hz; one outside its range is ignored.
        """
        low, high = ErraticCommand.PWM_FREQ.limits or (0, 0)
        if not low <= hertz <= high:
            return
        wrap = round(_PWM_CLOCK / hertz)
        self.pwm_max = min(WORD, round(self.pwm_max * wrap / self.pwm_wrap))
        self.stall_val = min(WORD, round(self.stall_val * wrap / self.pwm_wrap))
        self.pwm_wrap = wrap
