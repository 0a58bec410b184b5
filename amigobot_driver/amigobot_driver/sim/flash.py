# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters that all simulated controllers share; each controller adds its own in a subclass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from .fields import WORD, parameter, read_fields

F = TypeVar("F", bound="Flash")


@dataclass(slots=True, kw_only=True)
class Flash(ABC):
    """What is in FLASH, or the copy of it that commands change, the tuning values.

    The fields have the names and units of the CONFIG packet: mm/s, mm/s^2, deg/s, deg/s^2, ms, and 0.1 V; PID
    terms and PWM as the manuals count them. A profile's `flash:` section overrides defaults by the manual's names.
    """

    STALL_PERIOD: ClassVar[int]  #: ms, the period in which StallCount counts
    #: whether the deceleration applies to stopping only, and the acceleration to a lower velocity
    BRAKES_ONLY_TO_ZERO: ClassVar[bool] = False

    # Limits that no command can exceed.
    trans_vel_top: int = 2200  #: mm/s
    rot_vel_top: int = 720  #: deg/s
    trans_acc_top: int = WORD  #: mm/s^2, of the deceleration, too
    rot_acc_top: int = WORD  #: deg/s^2, of the deceleration, too
    drift_factor: int = 0  #: 1/8192 of the ticks of the left wheel, which odometry adds to them
    has_gyro: int = 0  #: 2 or more: the heading is that of a gyro instead of the wheels
    host_baud: int = 0  #: code of the line speed
    watchdog: int = parameter("WatchDog", 2000)  #: ms without a packet until the robot stops; 0: never
    low_battery: int = parameter("LowBattery", 110)  #: 0.1 V
    shutdown_volts: float = 0  #: 0.1 V
    pwm_max: int = parameter("PwmMax", 255, 1)
    stall_val: int = parameter("StallVal", 255)  #: PWM counts that are a stall if the wheel does not turn
    stall_count: int = parameter("StallCount", 100)
    rot_vel_max: int = parameter("RotVelMax", 200, 1)  #: deg/s
    trans_vel_max: int = parameter("TransVelMax", 300, 1)  #: mm/s
    rot_acc: int = parameter("RotAcc", 50, 1)  #: deg/s^2
    rot_decel: int = parameter("RotDecel", 50, 1)  #: deg/s^2
    rot_kp: int = parameter("RotKp", 30)
    rot_kv: int = parameter("RotKv", 60)
    rot_ki: int = parameter("RotKi", 0)
    trans_acc: int = parameter("TransAcc", 300, 1)  #: mm/s^2
    trans_decel: int = parameter("TransDecel", 300, 1)  #: mm/s^2
    trans_kp: int = parameter("TransKp", 40)
    trans_kv: int = parameter("TransKv", 80)
    trans_ki: int = parameter("TransKi", 0)

    @classmethod
    def read(cls: type[F], profile: str, values: Mapping[str, int | str], **more: Any) -> F:
        """Build the FLASH contents of one robot.

        Args:
            profile: Its name, for error messages.
            values: Values by the manual's keywords that replace the defaults.
            more: Values by field name, which are not checked.

        Raises:
            OptionError: A keyword or value is not allowed.
        """
        return cls(**{**read_fields(f"{profile}: flash:", cls, values), **more})

    def values_in(self, packet: type) -> dict[str, Any]:
        """Return the values for the fields of a configuration packet or of a part of it, by name."""
        return {item.name: getattr(self, item.name) for item in fields(packet) if hasattr(self, item.name)}

    @property
    @abstractmethod
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel."""

    @property
    @abstractmethod
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""

    @property
    @abstractmethod
    def full_pwm(self) -> int:
        """PWM counts of the full battery voltage."""

    @property
    def full_power(self) -> float:
        """Share of the battery voltage that the motors get at most, 0 to 1."""
        return min(1.0, self.pwm_max / self.full_pwm)

    @property
    def stall_pause(self) -> float:
        """Seconds for which a stalled motor stays without power."""
        return self.stall_count * self.STALL_PERIOD / 1000
