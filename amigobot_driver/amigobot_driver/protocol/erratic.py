"""The packets of the Videre ERA / Erratic (PROTOCOL 5.11-5.15; Erratic manual app. E): same frames, other contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from .packet import Packet, PacketTable, Parameters
from .packets import Reset
from .sip import SonarReading
from .wire import S16, S24, U8, U16, Bytes, Counted, FixedString, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Motor(Packet):
    """The motor packet as the manual lays it out: 0x82 stopped, 0x83 moving."""

    id: U8 = 0x82
    x: S24
    y: S24
    #: degrees in the manual, 4096 to the turn in the deployed driver (erratum E-42)
    heading: U16
    left_velocity: S16
    right_velocity: S16
    #: 0.1 V
    battery: U8
    #: bits 0 or 2 left, 1 or 3 right (erratum E-43)
    stall: U8
    heading_target: U16
    distance_target: S16

    @property
    def left_stalled(self) -> bool:
        return bool(self.stall & 0b0101)

    @property
    def right_stalled(self) -> bool:
        return bool(self.stall & 0b1010)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortMotor(Packet):
    """The motor packet as Player reads it, one byte shorter with a stall byte for each wheel."""

    id: U8 = 0x82
    x: S24
    y: S24
    heading: U16
    left_velocity: S16
    right_velocity: S16
    battery: U8
    left_stall: U8
    right_stall: U8
    control: S16 | None = None

    @property
    def left_stalled(self) -> bool:
        return bool(self.left_stall & 1)

    @property
    def right_stalled(self) -> bool:
        return bool(self.right_stall & 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErraticConfig(Parameters):
    """The robot's parameter block (PROTOCOL 5.12)."""

    #: ms, fixed: 20 motor packets a second, and the control cycle that stall_count counts
    INFO_CYCLE: ClassVar[int] = 50
    CONTROL_CYCLE: ClassVar[int] = 5

    id: U8 = 0x20
    parameter_version: U8
    name: Annotated[str, FixedString(20)]
    type: Annotated[str, FixedString(20)]
    subtype: Annotated[str, FixedString(20)]
    serial: Annotated[str, FixedString(10)]
    version: U8
    subversion: U8
    baud_host: U8
    baud_aux: U8
    rev_count: U16
    #: ms
    watchdog: U16
    #: 0.1 V
    low_battery: S16
    stall_val: S16
    stall_count: S16
    pwm_max: S16
    pwm_wrap: S16
    rot_vel_max: S16
    trans_vel_max: S16
    rot_acc: S16
    trans_acc: S16
    rot_decel: S16
    trans_decel: S16
    trans_kp: S16
    trans_kv: S16
    trans_ki: S16
    rot_kp: S16
    rot_kv: S16
    rot_ki: S16
    #: cycles to 256 mm
    sonar_conv: S16
    reserved: Annotated[str, FixedString(8)] = ""

    @property
    def info_cycle_ms(self) -> int:
        return self.INFO_CYCLE

    @property
    def stall_time_ms(self) -> int:
        return self.stall_count * self.CONTROL_CYCLE

    @property
    def firmware_version(self) -> str:
        return f"{self.version}.{self.subversion}"

    @property
    def host_baud(self) -> int:
        """Code, see BAUD_RATES."""
        return self.baud_host

    @property
    def aux1_baud(self) -> int:
        """Code, see BAUD_RATES."""
        return self.baud_aux


@dataclass(frozen=True, slots=True, kw_only=True)
class ErraticEncoders(Packet):
    """Raw counts of both wheels, 24 bits each."""

    id: U8 = 0x90
    left: S24
    right: S24


@dataclass(frozen=True, slots=True, kw_only=True)
class Analog(Packet):
    """Motor currents (25 mA a count), two user inputs, and the digital inputs (errata E-48)."""

    id: U8 = 0x9A
    analog: Annotated[tuple[int, ...], Counted(U16)]
    digital: U16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonar(Packet):
    """Sonar readings, in a packet of their own."""

    id: U8 = 0x9B
    readings: Annotated[tuple[SonarReading, ...], Counted(Record(SonarReading))]


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugText(Packet):
    """ASCII that the controller says in passing."""

    id: U8 = 0x15
    text: Bytes


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
