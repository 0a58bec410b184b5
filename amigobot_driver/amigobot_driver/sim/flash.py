"""The parameters a robot keeps in FLASH, with AmigOS's defaults (docs/protocol.md 6.4; AmigoBot manual ch. 6).

The fields have the names and units of CONFIGpac, where the firmware reports them; `keyword` is the manual's
name, by which a profile's `flash:` section overrides them. The working copy that commands change is another
instance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .keywords import WORD, from_keywords, number, text

#: ticks of the AmigoBot's encoder in one turn of a wheel (docs/protocol.md 6.1), over its circumference in m
_AMIGO_TICKS_PER_M = 9550 / (math.pi * 0.100)
#: DRIFTFACTOR counts in these shares of the left wheel's ticks
_DRIFT_UNIT = 1 / 8192


@dataclass(slots=True, kw_only=True)
class Flash:
    """One set of parameters. Units: deg/s, mm/s, deg/s^2, mm/s^2, ms, 0.1 V, PWM counts."""

    robot_class: str = text("Type", "Pioneer")
    subclass: str = text("Subtype", "amigo")
    serial: str = text("Serial", "1234")
    name: str = text("Name", "not_set")
    # Caps that no command can lift.
    rot_vel_top: int = number("RotVelTop", 360, 1)
    trans_vel_top: int = number("TransVelTop", 2200, 1)
    rot_acc_top: int = number("RotAccTop", 360, 1)
    trans_acc_top: int = number("TransAccTop", 4000, 1)
    pwm_max: int = number("PwmMax", 255, 1)
    # 0 and 1 are codes for 100 and 50 ms; from 10 on it is milliseconds (docs/protocol.md E-57).
    info_cycle: int = number("SInfoCycle", 0, 0, 255)
    host_baud: int = number("HostBaud", 0, 0, 4)
    aux1_baud: int = number("Aux1Baud", 0, 0, 4)
    aux2_baud: int = number("Aux2Baud", 0, 0, 4)
    aux3_baud: int = number("Aux3Baud", 0, 0, 4)
    io0: int = number("io0", 0, 0, 1)
    io1: int = number("io1", 0, 0, 1)
    io2: int = number("io2", 0, 0, 1)
    io3: int = number("io3", 0, 0, 1)
    io4: int = number("io4", 0, 0, 1)
    io5: int = number("io5", 0, 0, 1)
    gripper: int = number("Gripper", 0, 0, 1)
    front_sonar: int = number("FrontSonar", 1)
    rear_sonar: int = number("RearSonar", 0, 0, 255)
    low_battery: int = number("LowBattery", 110, 0, 255)
    shutdown_volts: int = number("ShutdownVolts", 100, 0, 255)
    watchdog: int = number("WatchDog", 2000)
    #: encoder ticks, half the difference of the wheels, in one turn of the robot (docs/protocol.md E-19)
    rev_count: int = number("RevCount", 23310, 1, 0xFFFF)
    p2_mpacs: int = number("Mpacs", 0, 0, 1)
    stall_val: int = number("StallVal", 255)
    stall_count: int = number("StallCount", 100)
    joy_vel: int = number("JoyVel", 0)
    joy_rot_vel: int = number("JoyRVel", 0)
    rot_vel_max: int = number("RotVelMax", 200, 1)
    trans_vel_max: int = number("TransVelMax", 300, 1)
    rot_acc: int = number("RotAcc", 50, 1)
    rot_decel: int = number("RotDecel", 50, 1)
    rot_kp: int = number("RotKp", 30)
    rot_kv: int = number("RotKv", 60)
    rot_ki: int = number("RotKi", 0)
    trans_acc: int = number("TransAcc", 300, 1)
    trans_decel: int = number("TransDecel", 300, 1)
    trans_kp: int = number("TransKp", 40)
    trans_kv: int = number("TransKv", 80)
    trans_ki: int = number("TransKi", 0)
    # From here on AmigoSH and its relatives only.
    front_bumpers: int = number("FrontBumps", 0, 0, 7)
    rear_bumpers: int = number("RearBumps", 0, 0, 7)
    charger: int = number("Charger", 0, 0, 2)
    sonar_cycle: int = number("SonarCycle", 40, 2, 120)
    auto_baud: int = number("AutoBaud", 0, 0, 2)
    has_gyro: int = number("HasGyro", 0, 0, 2)
    drift_factor: int = number("DriftFactor", 0, -WORD)
    #: 0 where the firmware has no such parameter: then the encoder's own 9550 ticks a wheel turn count
    ticks_mm: int = number("TicksMM", 0)

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs; never below one control tick."""
        return {0: 100, 1: 50}.get(self.info_cycle, max(10, self.info_cycle))

    @property
    def brakes_only_to_zero(self) -> bool:
        """The deceleration is for going slower too."""
        return False

    @property
    def ticks_per_metre(self) -> float:
        """What the parameters say that the encoders count."""
        return self.ticks_mm * 1000.0 or _AMIGO_TICKS_PER_M

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' ticks in one turn of the robot."""
        return self.rev_count

    @property
    def drift(self) -> float:
        """Share of its ticks that the left wheel is given in addition."""
        return self.drift_factor * _DRIFT_UNIT

    @property
    def full_power(self) -> float:
        """Full PWM is the battery's whole voltage."""
        return 1.0

    def stalls_at(self, power: float) -> bool:
        """Whether so much power without motion is a stall."""
        return abs(round(power * self.pwm_max)) >= self.stall_val

    @property
    def stall_pause(self) -> float:
        """s that a stalled motor stays without power."""
        return self.stall_count / 1000

    @property
    def output_pins(self) -> int:
        """The digital pins that are outputs, one bit each."""
        pins = (self.io0, self.io1, self.io2, self.io3, self.io4, self.io5)
        return sum(1 << number for number, is_output in enumerate(pins) if is_output)


def flash_of(overrides: Mapping[str, int | str], where: str) -> Flash:
    """AmigOS's defaults with a profile's changes. Raises ProfileError: the keyword, and what is allowed."""
    return from_keywords(Flash, overrides, where)
