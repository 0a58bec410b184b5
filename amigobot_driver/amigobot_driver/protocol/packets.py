"""The packets an ActivMedia robot sends (PROTOCOL 5; AmigoBot manual ch. 5): AmigOS, AmigoSH, P2OS, AROS, ARCOS.

Values are as they stand on the wire: counts and robot units, not metres. A profile converts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, ClassVar

from .wire import (
    S8,
    S16,
    S32,
    U8,
    U16,
    U32,
    Bytes,
    Counted,
    FixedString,
    Record,
    Text,
    Truncated,
    pack,
    unpack,
)


class Packet:
    """Anything a robot sends. `id` is the first byte of its data."""

    __slots__ = ()
    id: int

    def encode(self) -> bytes:
        """The data of the frame that carries this packet. Raises ValueError when a value does not fit."""
        return pack(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncEcho(Packet):
    """The answer to SYNC0 and SYNC1: the same packet."""

    id: U8


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReply(Packet):
    """The answer to SYNC2: who the robot is (erratum E-13)."""

    id: U8 = 2
    name: Text
    robot_class: Text
    subclass: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class SonarReading:
    """One ping: the sonar's number from 0, and its range in robot units (mm for most)."""

    number: U8
    range: U16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sip(Packet):
    """The standard server information packet, in every length from P2OS to MTX (PROTOCOL 5.2).

    A field is None where the packet ends before it: after `digital_out` on AmigOS, after `charge_state` on
    AmigoSH and AROS, further on for ARCOS.
    """

    MOTORS: ClassVar[int] = 1 << 0
    SONAR: ClassVar[int] = 0b1111 << 1
    STOP_BUTTON: ClassVar[int] = 1 << 5
    MOVING: ClassVar[int] = 0x33

    id: U8 = 0x32
    #: 15-bit counters in a 16-bit field: only differences modulo 0x8000 mean anything
    x: U16
    y: U16
    #: 4096 to the turn, counter-clockwise
    heading: S16
    left_velocity: S16
    right_velocity: S16
    #: 0.1 V
    battery: U8
    left_stall_bumpers: U8
    right_stall_bumpers: U8
    #: the heading servo's set-point, as heading
    control: S16
    flags: U16
    compass: U8
    sonar: Annotated[tuple[SonarReading, ...], Counted(Record(SonarReading))]
    #: AmigOS: selected analog port and 0; AmigoSH and AROS: gripper and port (erratum E-30)
    port_low: U8 | None = None
    port_high: U8 | None = None
    analog: U8 | None = None
    digital_in: U8 | None = None
    digital_out: U8 | None = None
    #: 0.1 V
    battery_x10: U16 | None = None
    charge_state: U8 | None = None
    #: 0.1 deg/s
    rotation_velocity: S16 | None = None
    faults: U16 | None = None
    #: mm/s
    lateral_velocity: S16 | None = None
    #: deg C, -127: not available
    temperature: S8 | None = None
    #: %
    state_of_charge: S8 | None = None
    #: us
    robot_time: U32 | None = None
    flags3: U32 | None = None

    @property
    def moving(self) -> bool:
        return self.id == self.MOVING

    @property
    def motors_enabled(self) -> bool:
        return bool(self.flags & self.MOTORS)

    @property
    def sonar_enabled(self) -> bool:
        return bool(self.flags & self.SONAR)

    @property
    def stop_button(self) -> bool:
        return bool(self.flags & self.STOP_BUTTON)

    @property
    def left_stalled(self) -> bool:
        return bool(self.left_stall_bumpers & 1)

    @property
    def right_stalled(self) -> bool:
        return bool(self.right_stall_bumpers & 1)

    @property
    def charging(self) -> bool | None:
        """Whether the charger feeds the battery; None where the packet does not say."""
        return None if self.charge_state in (None, 255) else self.charge_state != 0

    @property
    def volts(self) -> float:
        """Battery voltage; the 16-bit field wins where it exists and is filled."""
        return (self.battery_x10 or self.battery) / 10


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
class Config(Packet):
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

    def values(self) -> Iterator[tuple[str, int | str]]:
        """Every field that is there, by name, in the packet's order."""
        for part in (self, self.tail):
            for field in fields(part) if part else ():
                value = getattr(part, field.name)
                if field.name not in ("id", "tail") and value is not None:
                    yield field.name, value

    @property
    def firmware_version(self) -> str:
        """As the firmware says it, or "" (AmigOS does not)."""
        if isinstance(self.tail, AmigoShTail):
            return f"{self.tail.version}.{self.tail.version_minor}"
        return self.tail.version if self.tail else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoders(Packet):
    """ENCODERpac: cumulative raw ticks, wrapping at 32 bits (PROTOCOL 5.6)."""

    id: U8 = 0x90
    left: S32
    right: S32


@dataclass(frozen=True, slots=True, kw_only=True)
class GyroSample:
    """One sample of 25 ms: rate 0-1023, below the centre of about 512 is counter-clockwise."""

    rate: U16
    temperature: U8


@dataclass(frozen=True, slots=True, kw_only=True)
class Gyro(Packet):
    """GYROpac of AmigoSH and AROS (PROTOCOL 5.9)."""

    id: U8 = 0x98
    samples: Annotated[tuple[GyroSample, ...], Counted(Record(GyroSample))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aux(Packet):
    """SERAUX: bytes that came in at an auxiliary serial port (PROTOCOL 5.7)."""

    IDS: ClassVar[tuple[int, ...]] = (0xB0, 0xB8, 0xC8)

    id: U8
    data: Bytes

    @property
    def port(self) -> int:
        """1, 2 or 3."""
        return self.IDS.index(self.id) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Playlist(Packet):
    """PLAYLISTpac: one sound, or first the number of sounds (PROTOCOL 5.8)."""

    id: U8 = 0xD0
    number: U8
    enabled: U8
    name: Annotated[str, FixedString(16)]
    offset: U32
    length: U32


@dataclass(frozen=True, slots=True, kw_only=True)
class Io(Packet):
    """IOpac: every digital and analog port (PROTOCOL 5.4)."""

    id: U8 = 0xF0
    digital_in: Annotated[tuple[int, ...], Counted(U8)]
    digital_out: Annotated[tuple[int, ...], Counted(U8)]
    analog: Annotated[tuple[int, ...], Counted(U16)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gripper(Packet):
    """The Pioneer gripper's state (PROTOCOL 5.10)."""

    id: U8 = 0xE0
    type: U8
    switches: U8
    grasp_time: U8


@dataclass(frozen=True, slots=True, kw_only=True)
class Joystick(Packet):
    """The Pioneer's own joystick, axes 0-1023 (PROTOCOL 5.10)."""

    id: U8 = 0xF8
    button1: U8
    button2: U8
    x: U16
    y: U16
    throttle: U16


@dataclass(frozen=True, slots=True, kw_only=True)
class Compass(Packet):
    """TCM2 compass: angles and temperature in tenths, magnetics in hundredths (PROTOCOL 5.10)."""

    id: U8 = 0xC0
    heading: S16
    pitch: S16
    roll: S16
    mag_x: S16
    mag_y: S16
    mag_z: S16
    temperature: S16
    error: S16
    calibration_h: U8
    calibration_v: U8
    calibration_m: S16


@dataclass(frozen=True, slots=True, kw_only=True)
class BatteryInfo(Packet):
    """ARCOS battery packet; the payload's records are `size` bytes each (PROTOCOL 5.10)."""

    id: U8 = 0xFA
    count: U8
    size: U8
    records: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm(Packet):
    """The Pioneer arm's state: power and motion bits, six joint positions (PROTOCOL 5.10)."""

    id: U8 = 0xA0
    status: U8
    moving: U8
    joints: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Packet):
    """The controller was reset, or during synchronisation: wrong order. Both ids have been seen."""

    id: U8 = 0xFF
    payload: Bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Packet):
    """A good frame with an id that no table knows."""

    id: U8
    payload: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(Packet):
    """A good frame of a known id that is too short for its fields, and why."""

    id: U8
    payload: Bytes
    reason: str

    def encode(self) -> bytes:
        """The data as it came; the reason is ours, not the robot's."""
        return bytes((self.id,)) + self.payload


#: Which packets an id may stand for; with several, the first that the data is long enough for.
PacketTable = dict[int, tuple[type[Packet], ...]]

ACTIVMEDIA_PACKETS: PacketTable = {
    0x00: (SyncEcho,),
    0x01: (SyncEcho,),
    0x02: (SyncReply,),
    0x20: (Config,),
    **dict.fromkeys(range(0x30, 0x40), (Sip,)),
    0x90: (Encoders,),
    0x98: (Gyro,),
    0xA0: (Arm,),
    **dict.fromkeys(Aux.IDS, (Aux,)),
    0xC0: (Compass,),
    0xD0: (Playlist,),
    0xE0: (Gripper,),
    0xF0: (Io,),
    0xF8: (Joystick,),
    0xFA: (BatteryInfo,),
    0xFE: (Reset,),
    0xFF: (Reset,),
}


def parse(data: bytes, table: PacketTable = ACTIVMEDIA_PACKETS) -> Packet:
    """The packet in a frame's data. Never raises: what does not fit comes back as Unknown or Malformed."""
    if not data:
        return Malformed(id=0, payload=b"", reason="no data")
    if data[0] not in table:
        return unpack(Unknown, data)
    reason = ""
    for kind in table[data[0]]:
        try:
            return unpack(kind, data)
        except Truncated as error:
            reason = f"{kind.__name__}: {error}"
    return Malformed(id=data[0], payload=data[1:], reason=reason)
