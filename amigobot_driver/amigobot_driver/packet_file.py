# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording: packets of the line with their times, in a file (docs/cli.md, record)."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import IO

MAGIC = b"AMIGOREC"
VERSION = 1  #: of the format
#: Time in s, direction (1: to the robot), number of bytes that follow.
_RECORD = struct.Struct("<dBB")
_MAX_HEAD = 10_000  # bytes
#: Number of data bytes that a frame may have.
_LENGTHS = range(1, 254)
#: Largest valid time of a record in s, about 31 years.
_MAX_TIME = 1e9


class PacketFileError(Exception):
    """The file is not a recording, is one of a later version, or its head is damaged. The message is one line."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is recorded."""

    started: float  #: Unix time, s
    port: str
    name: str
    robot_class: str
    subclass: str
    profile: str
    erratic: bool  #: the packets are those of an Erratic
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """One packet or command."""

    time: float  #: s since the start of the recording
    to_robot: bool
    data: bytes  #: without header, count and checksum


def write_head(file: IO[bytes], head: Head) -> None:
    """Write the beginning of a file."""
    file.write(MAGIC + json.dumps(asdict(head)).encode() + b"\n")


def write_record(file: IO[bytes], record: RecordedFrame) -> None:
    """Append a packet."""
    file.write(_RECORD.pack(record.time, record.to_robot, len(record.data)) + record.data)


def read_recording(file: IO[bytes]) -> tuple[Head, list[RecordedFrame], str]:
    """Read a recording up to its damage. A last record that is not complete is left out: the recorder was killed.

    Returns:
        The head, the packets in the order in which they were written, and where the file is damaged; "": nowhere.

    Raises:
        PacketFileError: It is not a recording, is one of a later version, or its head is damaged.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise PacketFileError("this is not a recording of `amigobot record`")
    line = file.readline(_MAX_HEAD)
    head, at = _head(line), len(MAGIC) + len(line)
    records: list[RecordedFrame] = []
    while len(start := file.read(_RECORD.size)) == _RECORD.size:
        time, to_robot, length = _RECORD.unpack(start)
        if to_robot > 1 or length not in _LENGTHS or not abs(time) < _MAX_TIME:
            # The beginnings of the records after it are unknown.
            return head, records, f"the recording is damaged at byte {at}"
        data = file.read(length)
        at += len(start) + length
        if len(data) == length:
            records.append(RecordedFrame(time, bool(to_robot), data))
    return head, records, ""


def _head(line: bytes) -> Head:
    try:
        values = json.loads(line)
        if values["version"] > VERSION:
            raise PacketFileError(
                f"version is {values['version']}, allowed: {VERSION}; install a newer amigobot_driver"
            )
        return Head(**values)
    except (ValueError, TypeError, KeyError) as error:
        raise PacketFileError(f"the head of this recording is damaged: {error}") from None
