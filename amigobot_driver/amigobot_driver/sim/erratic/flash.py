"""The parameters an Erratic keeps in FLASH, with its manual's defaults.

Source: Erratic manual app. A; docs/protocol.md 5.12, 6.5.

The fields are those of its configuration packet; `keyword` is the manual's name without the p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import ClassVar

from ...protocol.erratic import ErraticConfig
from ..keywords import WORD, number, text

#: s, the period in which StallCount counts: the servo of the real controller runs 200 times a second
_PERIOD = 0.005
#: Hz of the timer that PwmWrap counts: 1000 counts make the 16 kHz of the manual
_PWM_CLOCK = 16_000_000
_PARAMETER_VERSION = 1


@dataclass(slots=True, kw_only=True)
class ErraticFlash:
    """One set of parameters. Units: mm/s, deg/s, and per second of those, ms, 0.1 V, counts of the PWM timer."""

    #: "The robot absolute maximums" (ch. 5.5.6)
    trans_vel_top: ClassVar[int] = 2200
    rot_vel_top: ClassVar[int] = 720
    drift: ClassVar[float] = 0.0
    brakes_only_to_zero: ClassVar[bool] = True

    name: str = text("Name", "Erratic-1", blanks=True)
    type: str = text("Type", "Erratic", blanks=True)
    subtype: str = text("Subtype", "Rev E", blanks=True)
    serial: str = text("Serial", "1234", length=9, blanks=True)
    version: int = number("Version", 1, 0, 255)
    subversion: int = number("SubVersion", 0, 0, 255)
    baud_host: int = number("BaudHost", 2, 0, 4)
    baud_aux: int = number("BaudAux", 0, 0, 4)
    #: encoder counts in one turn of a wheel
    rev_count: int = number("RevCount", 38400, 1, 0xFFFF)
    watchdog: int = number("WatchDog", 2000, 0, 0xFFFF)
    low_battery: int = number("LowBattery", 110)
    stall_val: int = number("StallVal", 700)
    stall_count: int = number("StallCount", 20)
    pwm_max: int = number("PwmMax", 700)
    pwm_wrap: int = number("PwmWrap", 1000, 1)
    rot_vel_max: int = number("RotVelMax", 200, 1)
    trans_vel_max: int = number("TransVelMax", 1000, 1)
    rot_acc: int = number("RotAcc", 400, 1)
    trans_acc: int = number("TransAcc", 400, 1)
    rot_decel: int = number("RotDecel", 400, 1)
    trans_decel: int = number("TransDecel", 400, 1)
    trans_kp: int = number("TransKp", 40)
    trans_kv: int = number("TransKv", 80)
    trans_ki: int = number("TransKi", 0)
    rot_kp: int = number("RotKp", 30)
    rot_kv: int = number("RotKv", 60)
    rot_ki: int = number("RotKi", 0)
    sonar_conv: int = number("SonarConv", 350)
    # The firmware knows the robot that it is made for: m.
    wheel_diameter: float
    track: float

    def packet(self) -> ErraticConfig:
        """These parameters for a client."""
        names = {item.name for item in fields(self)}
        values = {item.name: getattr(self, item.name) for item in fields(ErraticConfig) if item.name in names}
        return ErraticConfig(parameter_version=_PARAMETER_VERSION, **values)

    @property
    def ticks_per_metre(self) -> float:
        return self.rev_count / (math.pi * self.wheel_diameter)

    @property
    def ticks_per_turn(self) -> float:
        return math.pi * self.track * self.ticks_per_metre

    @property
    def full_power(self) -> float:
        """The longest that the PWM is on."""
        return min(1.0, self.pwm_max / self.pwm_wrap)

    def stalls_at(self, power: float) -> bool:
        return abs(round(power * self.pwm_wrap)) >= self.stall_val

    @property
    def stall_pause(self) -> float:
        return self.stall_count * _PERIOD

    def set_pwm_frequency(self, hertz: int) -> None:
        """PWM_FREQ: the timer wraps earlier or later, and everything that is counted in it changes alike."""
        wrap = round(_PWM_CLOCK / hertz)
        self.pwm_max = min(WORD, round(self.pwm_max * wrap / self.pwm_wrap))
        self.stall_val = min(WORD, round(self.stall_val * wrap / self.pwm_wrap))
        self.pwm_wrap = wrap

    def set_pwm_duty(self, share: float) -> None:
        """PWM_DUTY, 0 to 1."""
        self.pwm_max = round(share * self.pwm_wrap)
