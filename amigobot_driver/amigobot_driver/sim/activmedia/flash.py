# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters of an ActivMedia robot, with AmigOS's defaults (docs/protocol 6.4; AmigoBot manual ch. 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..fields import WORD, parameter, text
from ..flash import Flash

#: ticks of the AmigoBot's encoder in one turn of a wheel (docs/protocol 6.1), over its circumference in m
_AMIGO_TICKS_PER_M = 9550 / (math.pi * 0.100)


@dataclass(slots=True, kw_only=True)
class ActivMediaFlash(Flash):
    """FLASH and tuning values, under the names that CONFIGpac has for them. Units as in `Flash`."""

    STALL_PERIOD: ClassVar[int] = 1  #: see `Flash`

    robot_class: str = text("Type", "Pioneer")
    subclass: str = text("Subtype", "amigo")
    serial: str = text("Serial", "1234")
    name: str = text("Name", "not_set")
    # Limits that no command can exceed.
    rot_vel_top: int = parameter("RotVelTop", 360, 1)
    trans_vel_top: int = parameter("TransVelTop", 2200, 1)
    rot_acc_top: int = parameter("RotAccTop", 360, 1)
    trans_acc_top: int = parameter("TransAccTop", 4000, 1)
    # 0 and 1 are codes for 100 and 50 ms; from 10 on it is milliseconds (docs/protocol E-57).
    info_cycle: int = parameter("SInfoCycle", 0, 0, 255)
    host_baud: int = parameter("HostBaud", 0, 0, 4)
    aux1_baud: int = parameter("Aux1Baud", 0, 0, 4)
    aux2_baud: int = parameter("Aux2Baud", 0, 0, 4)
    aux3_baud: int = parameter("Aux3Baud", 0, 0, 4)
    io0: int = parameter("io0", 0, 0, 1)
    io1: int = parameter("io1", 0, 0, 1)
    io2: int = parameter("io2", 0, 0, 1)
    io3: int = parameter("io3", 0, 0, 1)
    io4: int = parameter("io4", 0, 0, 1)
    io5: int = parameter("io5", 0, 0, 1)
    gripper: int = parameter("Gripper", 0, 0, 1)
    front_sonar: int = parameter("FrontSonar", 1)
    rear_sonar: int = parameter("RearSonar", 0, 0, 255)
    low_battery: int = parameter("LowBattery", 110, 0, 255)
    shutdown_volts: int = parameter("ShutdownVolts", 100, 0, 255)
    #: half the difference of the wheels' encoder ticks in one turn of the robot, in `rev_count_unit`
    rev_count: int = parameter("RevCount", 23310, 1, 0xFFFF)
    p2_mpacs: int = parameter("Mpacs", 0, 0, 1)
    joy_vel: int = parameter("JoyVel", 0)
    joy_rot_vel: int = parameter("JoyRVel", 0)
    # Only AmigoSH and later firmwares have the following parameters.
    front_bumpers: int = parameter("FrontBumps", 0, 0, 7)
    rear_bumpers: int = parameter("RearBumps", 0, 0, 7)
    charger: int = parameter("Charger", 0, 0, 2)
    sonar_cycle: int = parameter("SonarCycle", 40, 2, 120)
    auto_baud: int = parameter("AutoBaud", 0, 0, 2)
    has_gyro: int = parameter("HasGyro", 0, 0, 4)
    drift_factor: int = parameter("DriftFactor", 0, -WORD)
    #: 0: the firmware has no such parameter, and the wheel has 9550 ticks per turn
    ticks_mm: int = parameter("TicksMM", 0)
    # Only ARCOS has the following parameters.
    firmware_version: str = text("Version", "1.9")  #: of the firmware, which is no parameter
    gyro_cw: int = parameter("GyroCW", 940)
    gyro_ccw: int = parameter("GyroCCW", 950)
    kinematics_delay: int = parameter("KinematicsDelay", 0, 0, 255)  #: ms
    #: encoder ticks in one count of RevCount, fixed in the firmware (docs/protocol E-19)
    rev_count_unit: int = 1

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs; never below one control tick."""
        return {0: 100, 1: 50}.get(self.info_cycle, max(10, self.info_cycle))

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel, by these values."""
        return self.ticks_mm * 1000.0 or _AMIGO_TICKS_PER_M

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""
        return self.rev_count * self.rev_count_unit

    @property
    def full_pwm(self) -> int:
        """PWM counts of the full battery voltage."""
        return self.pwm_max

    @property
    def output_pins(self) -> int:
        """The digital pins that are outputs, one bit each."""
        return sum(getattr(self, f"io{number}") << number for number in range(6))
