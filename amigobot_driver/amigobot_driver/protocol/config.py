"""CONFIGpac: who the robot is and how it is set (PROTOCOL 5.5; AmigoBot manual ch. 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .packet import Parameters
from .wire import S8, S16, U8, U16, U32, Record, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AmigoShTail:
    """What AmigoSH sends at the end of its CONFIGpac (erratum E-67)."""

    version: Text
    version_minor: Text
    charge_threshold: U16


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcosTail:
    """What ARCOS sends at the end of its CONFIGpac, as ARIA reads it."""

    version: Text
    gyro_cw: U16 | None = None
    gyro_ccw: U16 | None = None
    kinematics_delay: U8 | None = None
    lateral_vel_top: U16 | None = None
    lateral_acc_top: U16 | None = None
    lateral_vel_max: U16 | None = None
    lateral_acc: U16 | None = None
    lateral_decel: U16 | None = None
    charge_threshold: U16 | None = None
    pdb_port: U8 | None = None
    gyro_rate_limit: U16 | None = None
    high_temp_shutdown: S8 | None = None
    power_bits: U16 | None = None
    battery_type: U8 | None = None
    charge_low: U16 | None = None
    charge_shutdown: U16 | None = None
    bootloader_version: Text | None = None
    config_flags: U32 | None = None
    gyro_firmware: S16 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Parameters):
    """CONFIGpac: the robot's identity and working parameters (PROTOCOL 5.5). AmigOS ends with `trans_ki`."""

    id: U8 = 0x20
    robot_class: Text
    subclass: Text
    serial: Text
    four_motors: U8 = 0
    #: deg/s, mm/s, deg/s^2, mm/s^2: caps fixed in the firmware
    rot_vel_top: U16
    trans_vel_top: U16
    rot_acc_top: U16
    trans_acc_top: U16
    pwm_max: U16
    name: Text
    #: code 0 or 1 on AmigOS, else ms: see info_cycle_ms
    info_cycle: U8
    #: codes, see BAUD_RATES
    host_baud: U8
    aux1_baud: U8
    gripper: U16 = 0
    front_sonar: U16
    rear_sonar: U8
    #: 0.1 V
    low_battery: U16
    rev_count: U16
    #: ms
    watchdog: U16
    p2_mpacs: U8 = 0
    stall_val: U16
    #: ms
    stall_count: U16
    joy_vel: U16 = 0
    joy_rot_vel: U16 = 0
    #: deg/s, mm/s, deg/s^2, mm/s^2: working values
    rot_vel_max: U16
    trans_vel_max: U16
    rot_acc: U16
    rot_decel: U16
    rot_kp: U16
    rot_kv: U16
    rot_ki: U16
    trans_acc: U16
    trans_decel: U16
    trans_kp: U16
    trans_kv: U16
    trans_ki: U16
    front_bumpers: U8 | None = None
    rear_bumpers: U8 | None = None
    charger: U8 | None = None
    #: ms per ping
    sonar_cycle: U8 | None = None
    auto_baud: U8 | None = None
    has_gyro: U8 | None = None
    #: 1/8192
    drift_factor: S16 | None = None
    aux2_baud: U8 | None = None
    aux3_baud: U8 | None = None
    ticks_mm: U16 | None = None
    #: 0.1 V
    shutdown_volts: U16 | None = None
    tail: Annotated[AmigoShTail | ArcosTail, Record(AmigoShTail, ArcosTail)] | None = None

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs (erratum E-57)."""
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
