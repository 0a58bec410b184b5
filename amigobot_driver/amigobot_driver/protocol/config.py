# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""CONFIGpac: who the robot is and how it is set (docs/protocol 5.5; AmigoBot manual ch. 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .packet import TuningValues
from .wire import S8, S16, U8, U16, U32, CString, Record, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AmigoShTail:
    """What AmigoSH sends at the end of its CONFIGpac (docs/protocol E-67)."""

    version: Text  #: major version of the firmware
    version_minor: Text  #: minor version
    charge_threshold: U16  #: 0.1 V


class _VersionText(CString):
    """A version as one text with a dot, or as two texts of digits (docs/protocol E-67)."""

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        major, end = super().read(data, at)
        if major.isdecimal() and end < len(data):
            minor, after = super().read(data, end)
            if minor.isdecimal():
                return f"{major}.{minor}", after
        return major, end

    def write(self, value: str) -> bytes:
        """Return the bytes of a value; a NUL in it makes two texts."""
        return value.encode("latin-1") + b"\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcosTail:
    """What ARCOS sends at the end of its CONFIGpac, as ARIA reads it."""

    version: Annotated[str, _VersionText()]  #: version of the firmware
    gyro_cw: U16 | None = None  #: correction of clockwise turns
    gyro_ccw: U16 | None = None  #: correction of counter-clockwise turns
    kinematics_delay: U8 | None = None  #: ms, age of pose and heading where a gyro corrects them (ARIA)
    lateral_vel_top: U16 | None = None  #: mm/s, fixed
    lateral_acc_top: U16 | None = None  #: mm/s^2, fixed
    lateral_vel_max: U16 | None = None  #: mm/s
    lateral_acc: U16 | None = None  #: mm/s^2
    lateral_decel: U16 | None = None  #: mm/s^2
    charge_threshold: U16 | None = None  #: 0.1 V
    pdb_port: U8 | None = None  #: port of the power distribution board
    gyro_rate_limit: U16 | None = None  #: deg/s
    high_temp_shutdown: S8 | None = None  #: deg C
    power_bits: U16 | None = None  #: bit field
    battery_type: U8 | None = None  #: no manual describes it
    charge_low: U16 | None = None  #: % of charge
    charge_shutdown: U16 | None = None  #: % of charge
    bootloader_version: Text | None = None  #: version of the boot loader
    config_flags: U32 | None = None  #: bit field
    gyro_firmware: S16 | None = None  #: version of the gyro firmware


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(TuningValues):
    """CONFIGpac: the robot's identity and tuning values (docs/protocol 5.5). AmigOS ends with `trans_ki`."""

    id: U8 = 0x20
    robot_class: Text  #: as in the answer to SYNC2
    subclass: Text  #: as in the answer to SYNC2
    serial: Text  #: serial number
    four_motors: U8 = 0  #: obsolete
    rot_vel_top: U16  #: deg/s, fixed in the firmware
    trans_vel_top: U16  #: mm/s, fixed in the firmware: 2200 on an AmigoBot, 1000 on a P3-DX
    rot_acc_top: U16  #: deg/s^2, fixed in the firmware
    trans_acc_top: U16  #: mm/s^2, fixed in the firmware
    pwm_max: U16  #: PWM counts of full power (docs/protocol E-59)
    name: Text  #: as in the answer to SYNC2
    info_cycle: U8  #: ms; AmigOS: 0 is 100 ms and 1 is 50 ms (docs/protocol E-57)
    host_baud: U8  #: code of BAUD_RATES
    aux1_baud: U8  #: code of BAUD_RATES
    gripper: U16 = 0  #: 1: a gripper is fitted; 0: none
    front_sonar: U16  #: 1: a front array is fitted; 0: none
    rear_sonar: U8  #: 1: a rear array is fitted; 0: none
    low_battery: U16  #: 0.1 V, alarm
    rev_count: U16  #: ticks in one turn of the robot (docs/protocol E-19)
    watchdog: U16  #: ms
    p2_mpacs: U8 = 0  #: 1: an alternative SIP is on; 0: off; see docs/protocol 5.3
    stall_val: U16  #: PWM counts that are a stall when the wheel does not turn
    stall_count: U16  #: ms without motor power after a stall
    joy_vel: U16 = 0  #: mm/s, joystick
    joy_rot_vel: U16 = 0  #: deg/s, joystick
    rot_vel_max: U16  #: deg/s
    trans_vel_max: U16  #: mm/s
    rot_acc: U16  #: deg/s^2
    rot_decel: U16  #: deg/s^2
    rot_kp: U16  #: rotation PID
    rot_kv: U16  #: rotation PID
    rot_ki: U16  #: rotation PID
    trans_acc: U16  #: mm/s^2
    trans_decel: U16  #: mm/s^2
    trans_kp: U16  #: translation PID
    trans_kv: U16  #: translation PID
    trans_ki: U16  #: translation PID
    front_bumpers: U8 | None = None  #: segments
    rear_bumpers: U8 | None = None  #: segments
    charger: U8 | None = None  #: 0: no docking charger, else its type
    sonar_cycle: U8 | None = None  #: ms for each ping
    auto_baud: U8 | None = None  #: 1: a client may change the line speed; 2: ARIA does so by itself
    has_gyro: U8 | None = None  #: 0: none; 1: the client reads GYROpacs; 2: the controller uses it
    drift_factor: S16 | None = None  #: 1/8192
    aux2_baud: U8 | None = None  #: code of BAUD_RATES
    aux3_baud: U8 | None = None  #: code of BAUD_RATES
    ticks_mm: U16 | None = None  #: encoder ticks for each mm
    shutdown_volts: U16 | None = None  #: 0.1 V
    #: AmigoSH and ARCOS end differently (docs/protocol E-67)
    tail: Annotated[AmigoShTail | ArcosTail, Record(AmigoShTail, ArcosTail)] | None = None

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs (docs/protocol E-57)."""
        return {0: 100, 1: 50}.get(self.info_cycle, self.info_cycle)

    @property
    def stall_time_ms(self) -> int:
        """Milliseconds that the motors rest after a stall."""
        return self.stall_count

    @property
    def firmware_version(self) -> str:
        """As the firmware says it, or "" (AmigOS does not)."""
        if isinstance(self.tail, AmigoShTail):
            return f"{self.tail.version}.{self.tail.version_minor}"
        return self.tail.version if self.tail else ""
