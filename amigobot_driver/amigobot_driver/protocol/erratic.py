# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packets of the Videre ERA / Erratic: the same frames with different contents.

Source: docs/protocol 5.11-5.15; Erratic manual app. E.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from .packet import Packet, PacketTable, TuningValues
from .packets import Reset
from .sip import SipSonarReading
from .wire import S16, S24, U8, U16, Bytes, Counted, FixedString, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorStart(Packet):
    """What both layouts of the motor packet begin with (docs/protocol 5.11)."""

    id: U8 = 0x82  #: 0x82: stopped; 0x83: moving; 0x80 is accepted, too
    x: S24  #: mm (docs/protocol E-44)
    y: S24  #: mm (docs/protocol E-44)
    heading: U16  #: 4096 units per turn, or degrees (docs/protocol E-42)
    left_velocity: S16  #: mm/s (docs/protocol E-44)
    right_velocity: S16  #: mm/s (docs/protocol E-44)
    battery: U8  #: 0.1 V


@dataclass(frozen=True, slots=True, kw_only=True)
class Motor(MotorStart):
    """The motor packet with the layout of the manual (docs/protocol 5.11)."""

    stall: U8  #: bit 0 or 2: left; bit 1 or 3: right (docs/protocol E-43)
    heading_target: U16  #: unit as heading
    distance_target: S16  #: mm

    @property
    def left_stalled(self) -> bool:
        """Whether the left motor is stalled."""
        return bool(self.stall & 0b0101)

    @property
    def right_stalled(self) -> bool:
        """Whether the right motor is stalled."""
        return bool(self.stall & 0b1010)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortMotor(MotorStart):
    """The motor packet as Player reads it: one byte shorter, a stall byte for each wheel (docs/protocol 5.11)."""

    left_stall: U8  #: bit 0: left motor stalled
    right_stall: U8  #: bit 0: right motor stalled
    control: S16 | None = None  #: target heading, unit as heading

    @property
    def left_stalled(self) -> bool:
        """Whether the left motor is stalled."""
        return bool(self.left_stall & 1)

    @property
    def right_stalled(self) -> bool:
        """Whether the right motor is stalled."""
        return bool(self.right_stall & 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErraticConfig(TuningValues):
    """The robot's identity and tuning values (docs/protocol 5.12)."""

    INFO_CYCLE: ClassVar[int] = 50  #: ms between two motor packets, fixed
    CONTROL_CYCLE: ClassVar[int] = 5  #: ms, unit of stall_count

    id: U8 = 0x20
    parameter_version: U8  #: version of this structure
    name: Annotated[str, FixedString(20)]  #: the robot's own name
    type: Annotated[str, FixedString(20)]  #: "Erratic"
    subtype: Annotated[str, FixedString(20)]  #: "Rev E", "Rev G" or "Rev H"
    serial: Annotated[str, FixedString(10)]  #: serial number
    version: U8  #: major version of the firmware
    subversion: U8  #: minor version
    host_baud: U8  #: code of BAUD_RATES
    aux1_baud: U8  #: code of BAUD_RATES
    rev_count: U16  #: encoder ticks in one turn of a wheel
    watchdog: U16  #: ms
    low_battery: S16  #: 0.1 V
    stall_val: S16  #: counts of the PWM timer
    stall_count: S16  #: control cycles of 5 ms
    pwm_max: S16  #: counts of the PWM timer, the largest duty
    pwm_wrap: S16  #: counts of the PWM timer, its period
    rot_vel_max: S16  #: deg/s
    trans_vel_max: S16  #: mm/s
    rot_acc: S16  #: deg/s^2
    trans_acc: S16  #: mm/s^2
    rot_decel: S16  #: deg/s^2
    trans_decel: S16  #: mm/s^2
    trans_kp: S16  #: translation PID
    trans_kv: S16  #: translation PID
    trans_ki: S16  #: translation PID
    rot_kp: S16  #: rotation PID
    rot_kv: S16  #: rotation PID
    rot_ki: S16  #: rotation PID
    sonar_conv: S16  #: cycles for 256 mm
    reserved: Annotated[str, FixedString(8)] = ""  #: not used

    @property
    def info_cycle_ms(self) -> int:
        """Milliseconds between two motor packets."""
        return self.INFO_CYCLE

    @property
    def stall_time_ms(self) -> int:
        """Milliseconds that the motors rest after a stall."""
        return self.stall_count * self.CONTROL_CYCLE

    @property
    def firmware_version(self) -> str:
        """Version as "major.minor"."""
        return f"{self.version}.{self.subversion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErraticEncoders(Packet):
    """Encoder ticks of both wheels, 24 bits each (docs/protocol 5.13)."""

    id: U8 = 0x90
    left: S24  #: ticks
    right: S24  #: ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class Analog(Packet):
    """Motor currents, two user inputs, and the digital inputs (docs/protocol 5.14)."""

    id: U8 = 0x9A
    analog: Annotated[tuple[int, ...], Counted(U16)]  #: left and right motor current (25 mA), two user inputs; 10 bits
    digital: U16  #: bit 0: left floor sensor; bit 1: right one; bit 2: user input (docs/protocol E-48)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonar(Packet):
    """Sonar readings, in a packet of their own (docs/protocol 5.15)."""

    id: U8 = 0x9B
    #: the readings since the last packet
    readings: Annotated[tuple[SipSonarReading, ...], Counted(Record(SipSonarReading))]


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugText(Packet):
    """Debugging text of the controller, ASCII."""

    id: U8 = 0x15
    text: Bytes  #: ASCII


ERRATIC_PACKETS: PacketTable = {
    0x15: (DebugText,),
    0x20: (ErraticConfig,),
    **dict.fromkeys((0x80, 0x82, 0x83), (Motor, ShortMotor)),
    0x90: (ErraticEncoders,),
    0x9A: (Analog,),
    0x9B: (Sonar,),
    0xFE: (Reset,),
    0xFF: (Reset,),
}
