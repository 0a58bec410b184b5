# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters of an ActivMedia robot, with AmigOS's defaults (docs/protocol 6.4; AmigoBot manual ch. 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..keywords import WORD, number, text
from ..parameters import FlashParameters

#: ticks of the AmigoBot's encoder in one turn of a wheel (docs/protocol 6.1), over its circumference in m
_AMIGO_TICKS_PER_M = 9550 / (math.pi * 0.100)
#: share of the left wheel's ticks that one unit of DRIFTFACTOR adds to them
_DRIFT_UNIT = 1 / 8192


@dataclass(slots=True, kw_only=True)
class ActivMediaFlash(FlashParameters):
    """One set of parameters, under the names that CONFIGpac has for them. Units as in `FlashParameters`."""

    BAUD_KEYWORD: ClassVar[str] = "HostBaud"

    robot_class: str = text("Type", "Pioneer")
    subclass: str = text("Subtype", "amigo")
    serial: str = text("Serial", "1234")
    name: str = text("Name", "not_set")
    # Limits that no command can exceed.
    rot_vel_top: int = number("RotVelTop", 360, 1)
    trans_vel_top: int = number("TransVelTop", 2200, 1)
    rot_acc_top: int = number("RotAccTop", 360, 1)
    trans_acc_top: int = number("TransAccTop", 4000, 1)
    # 0 and 1 are codes for 100 and 50 ms; from 10 on it is milliseconds (docs/protocol E-57).
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
    #: half the difference of the wheels' encoder ticks in one turn of the robot, in `rev_count_unit`
    rev_count: int = number("RevCount", 23310, 1, 0xFFFF)
    p2_mpacs: int = number("Mpacs", 0, 0, 1)
    joy_vel: int = number("JoyVel", 0)
    joy_rot_vel: int = number("JoyRVel", 0)
    # Only AmigoSH and later firmwares have the following parameters.
    front_bumpers: int = number("FrontBumps", 0, 0, 7)
    rear_bumpers: int = number("RearBumps", 0, 0, 7)
    charger: int = number("Charger", 0, 0, 2)
    sonar_cycle: int = number("SonarCycle", 40, 2, 120)
    auto_baud: int = number("AutoBaud", 0, 0, 2)
    has_gyro: int = number("HasGyro", 0, 0, 4)
    drift_factor: int = number("DriftFactor", 0, -WORD)
    #: 0: the firmware has no such parameter, and the wheel has 9550 ticks per turn
    ticks_mm: int = number("TicksMM", 0)
    # Only ARCOS has the following parameters.
    firmware_version: str = text("Version", "1.9")  #: of the firmware, which is no parameter
    gyro_cw: int = number("GyroCW", 940)
    gyro_ccw: int = number("GyroCCW", 950)
    kinematics_delay: int = number("KinematicsDelay", 0, 0, 255)  #: ms
    #: encoder ticks in one count of RevCount, fixed in the firmware (docs/protocol E-19)
    rev_count_unit: int = 1

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs; never below one control tick."""
        return {0: 100, 1: 50}.get(self.info_cycle, max(10, self.info_cycle))

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per meter of wheel travel, according to the parameters."""
        return self.ticks_mm * 1000.0 or _AMIGO_TICKS_PER_M

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' encoder ticks in one turn of the robot."""
        return self.rev_count * self.rev_count_unit

    @property
    def drift(self) -> float:
        """DriftFactor as a share of the left wheel's ticks (no unit); positive: odometry adds ticks to that wheel."""
        return self.drift_factor * _DRIFT_UNIT

    @property
    def gyro_heading(self) -> bool:
        """Whether the controller takes its heading from the gyro."""
        return self.has_gyro >= 2

    @property
    def stall_pause(self) -> float:
        """Seconds for which a stalled motor stays without power."""
        return self.stall_count / 1000

    def stalls_at(self, power: float) -> bool:
        """Return whether this power (-1 to 1 of the battery voltage) is a stall if the wheel does not turn."""
        return abs(round(power * self.pwm_max)) >= self.stall_val

    @property
    def output_pins(self) -> int:
        """The digital pins that are outputs, one bit each."""
        pins = (self.io0, self.io1, self.io2, self.io3, self.io4, self.io5)
        return sum(1 << number for number, is_output in enumerate(pins) if is_output)
