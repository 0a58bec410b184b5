# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters of an Erratic, with its manual's defaults (Erratic manual app. A; docs/protocol 6.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import ClassVar

from ...protocol.erratic import ErraticConfig
from ..keywords import WORD, number, text
from ..parameters import FlashParameters

#: s, the period in which StallCount counts: the servo of the real controller runs 200 times a second
_PERIOD = 0.005
#: Hz of the timer that PwmWrap counts: 1000 counts make the 16 kHz of the manual
_PWM_CLOCK = 16_000_000
_PARAMETER_VERSION = 1


@dataclass(slots=True, kw_only=True)
class ErraticFlash(FlashParameters):
    """One set of parameters, under the names of the configuration packet.

    Units as in `FlashParameters`; PWM and stall values in counts of the PWM timer.
    """

    BAUD_KEYWORD: ClassVar[str] = "BaudHost"
    brakes_only_to_zero: ClassVar[bool] = True

    name: str = text("Name", "Erratic-1", blanks=True)
    type: str = text("Type", "Erratic", blanks=True)
    subtype: str = text("Subtype", "Rev E", blanks=True)
    serial: str = text("Serial", "1234", length=9, blanks=True)
    version: int = number("Version", 1, 0, 255)
    subversion: int = number("SubVersion", 0, 0, 255)
    host_baud: int = number("BaudHost", 2, 0, 4)
    aux1_baud: int = number("BaudAux", 0, 0, 4)
    #: encoder counts in one turn of a wheel
    rev_count: int = number("RevCount", 38400, 1, 0xFFFF)
    watchdog: int = number("WatchDog", 2000, 0, 0xFFFF)
    stall_val: int = number("StallVal", 700)
    stall_count: int = number("StallCount", 20)
    pwm_max: int = number("PwmMax", 700)
    pwm_wrap: int = number("PwmWrap", 1000, 1)
    trans_vel_max: int = number("TransVelMax", 1000, 1)
    rot_acc: int = number("RotAcc", 400, 1)
    trans_acc: int = number("TransAcc", 400, 1)
    rot_decel: int = number("RotDecel", 400, 1)
    trans_decel: int = number("TransDecel", 400, 1)
    sonar_conv: int = number("SonarConv", 350)
    # The firmware knows the dimensions of its robot, in m.
    wheel_diameter: float
    track: float

    def packet(self) -> ErraticConfig:
        """Return these parameters as the configuration packet."""
        names = {item.name for item in fields(self)}
        values = {item.name: getattr(self, item.name) for item in fields(ErraticConfig) if item.name in names}
        return ErraticConfig(parameter_version=_PARAMETER_VERSION, **values)

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel."""
        return self.rev_count / (math.pi * self.wheel_diameter)

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""
        return math.pi * self.track * self.ticks_per_meter

    @property
    def full_power(self) -> float:
        """Largest share of its cycle for which the PWM is on, 0 to 1."""
        return min(1.0, self.pwm_max / self.pwm_wrap)

    @property
    def stall_pause(self) -> float:
        """Seconds for which a stalled motor stays without power."""
        return self.stall_count * _PERIOD

    def stalls_at(self, power: float) -> bool:
        """Return whether this power (-1 to 1 of the battery voltage) is a stall if the wheel does not turn."""
        return abs(round(power * self.pwm_wrap)) >= self.stall_val

    def set_pwm_frequency(self, hertz: int) -> None:
        """Execute PWM_FREQ: scale all values that count the PWM timer, so that duty and stall limit stay.

        Args:
            hertz: Frequency of the motors' PWM in Hz, above 0.
        """
        wrap = round(_PWM_CLOCK / hertz)
        self.pwm_max = min(WORD, round(self.pwm_max * wrap / self.pwm_wrap))
        self.stall_val = min(WORD, round(self.stall_val * wrap / self.pwm_wrap))
        self.pwm_wrap = wrap

    def set_pwm_duty(self, share: float) -> None:
        """Execute PWM_DUTY.

        Args:
            share: Largest share of its cycle for which the PWM is on, 0 to 1.
        """
        self.pwm_max = round(share * self.pwm_wrap)
