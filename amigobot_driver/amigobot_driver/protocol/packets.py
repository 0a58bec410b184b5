"""The packets an ActivMedia robot sends (PROTOCOL 5; AmigoBot manual ch. 5): AmigOS, AmigoSH, P2OS, AROS, ARCOS.

Values are as they stand on the wire: counts and robot units, not metres. A profile converts them. The two long ones are
in modules of their own, `sip` and `config`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from .config import Config
from .packet import Malformed, Packet, PacketTable, Unknown
from .sip import Sip
from .wire import S16, S32, U8, U16, U32, Bytes, Counted, FixedString, Record, Text, Truncated, unpack


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
