# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packets an ActivMedia robot sends: AmigOS, AmigoSH, P2OS, AROS, ARCOS.

Source: docs/protocol 5; AmigoBot manual ch. 5.

Values are raw: counts and robot units. A profile converts them to SI units. The two long packets are in the
modules `sip` and `config`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from .config import Config
from .packet import Malformed, Packet, PacketTable, Unknown
from .sip import Sip
from .wire import S16, S32, U8, U16, U32, Bytes, Counted, FixedString, Record, Text, TruncatedError, unpack


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncEcho(Packet):
    """The answer to SYNC0 and SYNC1: the same packet (docs/protocol 3.2)."""

    id: U8  #: number of the SYNC packet, 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReply(Packet):
    """The answer to SYNC2: who the robot is (docs/protocol 3.2, E-13)."""

    id: U8 = 2
    name: Text  #: the robot's own name, up to 20 characters
    robot_class: Text  #: "Pioneer" for all ActivMedia robots
    subclass: Text  #: the model, for example "amigo" or "p3dx-sh"; capitals vary


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoders(Packet):
    """ENCODERpac: cumulative raw ticks, wrapping at 32 bits (docs/protocol 5.6)."""

    id: U8 = 0x90
    left: S32  #: ticks
    right: S32  #: ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class GyroSample:
    """One sample of 25 ms."""

    rate: U16  #: 0 to 1023; about 512 at rest, less is counter-clockwise
    temperature: U8  #: raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Gyro(Packet):
    """GYROpac of AmigoSH and AROS (docs/protocol 5.9)."""

    id: U8 = 0x98
    samples: Annotated[tuple[GyroSample, ...], Counted(Record(GyroSample))]  #: one sample each 25 ms, oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Aux(Packet):
    """SERAUX: bytes that came in at an auxiliary serial port (docs/protocol 5.7)."""

    IDS: ClassVar[tuple[int, ...]] = (0xB0, 0xB8, 0xC8)

    id: U8  #: 0xB0 AUX1, 0xB8 AUX2, 0xC8 AUX3
    data: Bytes  #: as received at the port, no length and no NUL

    @property
    def port(self) -> int:
        """Number of the port, 1 to 3."""
        return self.IDS.index(self.id) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Playlist(Packet):
    """PLAYLISTpac: one sound, or first the number of sounds (docs/protocol 5.8)."""

    id: U8 = 0xD0
    number: U8  #: number of the sound; in the first answer to PLAYLIST 0: how many user sounds there are
    enabled: U8  #: 1 sounds are on, 0 muted
    name: Annotated[str, FixedString(16)]  #: name of the sound; a leading ~ marks a group; may be empty
    offset: U32  #: bytes; 0 for a group or an empty entry
    length: U32  #: bytes; 0 for a group or an empty entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Io(Packet):
    """IOpac: every digital and analog port (docs/protocol 5.4)."""

    id: U8 = 0xF0
    #: AmigOS one byte; AROS and ARCOS also front bumpers, rear bumpers, infrared
    digital_in: Annotated[tuple[int, ...], Counted(U8)]
    digital_out: Annotated[tuple[int, ...], Counted(U8)]  #: one byte
    analog: Annotated[tuple[int, ...], Counted(U16)]  #: AN1 to AN5, counts of 5/1024 V


@dataclass(frozen=True, slots=True, kw_only=True)
class Gripper(Packet):
    """The Pioneer gripper's state (docs/protocol 5.10)."""

    id: U8 = 0xE0
    type: U8  #: 0: none, 1: on the user I/O, 2: on the general I/O
    switches: U8  #: bit field of paddle and lift switches and light beams
    grasp_time: U8  #: 20 ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Joystick(Packet):
    """The Pioneer's own joystick (docs/protocol 5.10)."""

    id: U8 = 0xF8
    button1: U8  #: 1 pressed
    button2: U8  #: 1 pressed
    x: U16  #: 0 to 1023
    y: U16  #: 0 to 1023
    throttle: U16  #: 0 to 1023


@dataclass(frozen=True, slots=True, kw_only=True)
class Compass(Packet):
    """One reading of a TCM2 compass (docs/protocol 5.10)."""

    id: U8 = 0xC0
    heading: S16  #: 0.1 deg, clockwise
    pitch: S16  #: 0.1 deg
    roll: S16  #: 0.1 deg
    mag_x: S16  #: 0.01 uT
    mag_y: S16  #: 0.01 uT
    mag_z: S16  #: 0.01 uT
    temperature: S16  #: 0.1 deg C
    error: S16  #: error word of the compass
    calibration_h: U8  #: score of the horizontal calibration
    calibration_v: U8  #: score of the vertical calibration
    calibration_m: S16  #: 0.01, score of the magnetic calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class BatteryInfo(Packet):
    """ARCOS battery packet: one record for each battery (docs/protocol 5.10)."""

    id: U8 = 0xFA
    count: U8  #: batteries
    size: U8  #: bytes for each battery
    records: Bytes  #: for each battery: three flag bytes, relative and absolute charge in %, further bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm(Packet):
    """The Pioneer arm's state: power and motion bits, six joint positions (docs/protocol 5.10)."""

    id: U8 = 0xA0
    status: U8  #: bit 0: power; bit 1: connected
    moving: U8  #: one bit for each joint
    joints: Bytes  #: six joint positions, one byte each


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Packet):
    """The controller was reset, or a SYNC packet came in the wrong order. Either id is used."""

    id: U8 = 0xFF
    payload: Bytes = b""  #: not documented


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
    """Parse the data of a frame. Never raises: data that does not fit returns Unknown or Malformed."""
    if not data:
        return Malformed(id=0, payload=b"", reason="no data")
    if data[0] not in table:
        return unpack(Unknown, data)
    reason = ""
    for kind in table[data[0]]:
        try:
            return unpack(kind, data)
        except TruncatedError as error:
            reason = f"{kind.__name__}: {error}"
    return Malformed(id=data[0], payload=data[1:], reason=reason)
