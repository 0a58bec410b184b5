# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters that all simulated controllers share; each controller adds its own in a subclass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from .keywords import WORD, from_keywords, number

P = TypeVar("P", bound="FlashParameters")


@dataclass(slots=True, kw_only=True)
class FlashParameters(ABC):
    """One set of parameters: the one in FLASH, or the working copy that commands change.

    The fields have the names and units of the CONFIG packet: mm/s, mm/s^2, deg/s, deg/s^2, ms, and 0.1 V; PID
    terms and PWM as the manuals count them. A profile's `flash:` section overrides defaults by the manual's names.
    """

    BAUD_KEYWORD: ClassVar[str]  #: the manual's name for the code of the client's line speed
    #: whether the deceleration applies to stopping only, and the acceleration to a lower velocity
    brakes_only_to_zero: ClassVar[bool] = False

    # Limits that no command can exceed.
    trans_vel_top: int = 2200  #: mm/s
    rot_vel_top: int = 720  #: deg/s
    trans_acc_top: int = WORD  #: mm/s^2, of the deceleration, too
    rot_acc_top: int = WORD  #: deg/s^2, of the deceleration, too
    watchdog: int = number("WatchDog", 2000)  #: ms without a packet until the robot stops; 0: never
    low_battery: int = number("LowBattery", 110)  #: 0.1 V
    pwm_max: int = number("PwmMax", 255, 1)
    stall_val: int = number("StallVal", 255)  #: PWM counts that are a stall if the wheel does not turn
    stall_count: int = number("StallCount", 100)
    rot_vel_max: int = number("RotVelMax", 200, 1)  #: deg/s
    trans_vel_max: int = number("TransVelMax", 300, 1)  #: mm/s
    rot_acc: int = number("RotAcc", 50, 1)  #: deg/s^2
    rot_decel: int = number("RotDecel", 50, 1)  #: deg/s^2
    rot_kp: int = number("RotKp", 30)
    rot_kv: int = number("RotKv", 60)
    rot_ki: int = number("RotKi", 0)
    trans_acc: int = number("TransAcc", 300, 1)  #: mm/s^2
    trans_decel: int = number("TransDecel", 300, 1)  #: mm/s^2
    trans_kp: int = number("TransKp", 40)
    trans_kv: int = number("TransKv", 80)
    trans_ki: int = number("TransKi", 0)

    @property
    @abstractmethod
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel."""

    @property
    @abstractmethod
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""

    @property
    def drift(self) -> float:
        """Share of its ticks that odometry adds to the left wheel; 0 without such a correction."""
        return 0.0

    @property
    def gyro_heading(self) -> bool:
        """Whether the heading is that of a gyro instead of the wheels."""
        return False

    @property
    def full_power(self) -> float:
        """Share of the battery voltage that the motors get at most, 0 to 1."""
        return 1.0

    @property
    @abstractmethod
    def stall_pause(self) -> float:
        """Seconds for which a stalled motor stays without power."""

    @abstractmethod
    def stalls_at(self, power: float) -> bool:
        """Return whether this power is a stall if the wheel does not turn.

        Args:
            power: Share of the battery voltage, -1 to 1.
        """


def load_flash(
    kind: type[P],
    overrides: Mapping[str, int | str],
    where: str,
    *,
    name: str | None = None,
    baud_code: int | None = None,
    **fixed: Any,
) -> P:
    """Build the FLASH contents of one robot.

    Args:
        kind: Parameter set of the controller.
        overrides: Values by the manual's keywords (case ignored) that replace the defaults.
        where: Name of the profile, for error messages.
        name: Name that the robot reports; None keeps the one of `overrides`.
        baud_code: Code of the client's line speed; None keeps the one of `overrides`.
        fixed: Fields without keyword, by field name.

    Raises:
        ProfileError: A keyword or value is not allowed.
    """
    values = dict(overrides)
    if name is not None:
        values["Name"] = name
    if baud_code is not None:
        values[kind.BAUD_KEYWORD] = baud_code
    return from_keywords(kind, values, where, **fixed)
