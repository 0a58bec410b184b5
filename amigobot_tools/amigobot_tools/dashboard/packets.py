# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The frames on the line, decoded, for the packet inspector."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from amigobot_driver.protocol import Packet, inspect_frame

#: Frames that are kept; at 9600 baud, those of about a minute.
_KEPT = 2000
_SECTION = re.compile(r"docs/protocol (\d+(?:\.\d+)?)")
_COMMANDS, _ERRATIC_COMMANDS = "4.1", "4.2"
#: Sections of the packets whose docstring names none.
_SECTIONS = {"Sip": "5.2", "SyncEcho": "3.2", "SyncReply": "3.2", "Motor": "5.11", "ShortMotor": "5.11"}
_PACKETS = "5.1"


@dataclass(frozen=True, slots=True)
class SeenFrame:
    """One frame on the line."""

    number: int  #: counts the frames, from 1
    time: float  #: s
    to_robot: bool
    data: bytes  #: without header, count and checksum


class FrameLog:
    """Keeps the newest frames."""

    def __init__(self) -> None:
        self._frames: deque[SeenFrame] = deque(maxlen=_KEPT)
        self.newest = 0  #: number of the newest frame

    def add(self, time: float, to_robot: bool, data: bytes) -> None:
        """Append a frame."""
        self.newest += 1
        self._frames.append(SeenFrame(self.newest, time, to_robot, data))

    def after(self, number: int, limit: int) -> list[SeenFrame]:
        """Return the frames with a higher number, the newest `limit` of them."""
        count = min(limit, self.newest - number, len(self._frames))
        return [self._frames[index] for index in range(-count, 0)] if count > 0 else []


def decoded(frame: SeenFrame, *, erratic: bool) -> dict[str, Any]:
    """Return a frame with name, text, fields in the robot's units, and its section in docs/protocol."""
    inspected = inspect_frame(frame.data, to_robot=frame.to_robot, erratic=erratic)
    content = inspected.content
    if isinstance(content, Packet):
        fields = ((key, value) for key, value in inspected.fields.items() if key != "id" and value is not None)
        text = ", ".join(f"{key}={value}" for key, value in fields)
        cited = _SECTION.search(type(content).__doc__ or "")
        section = cited[1] if cited else _SECTIONS.get(inspected.name, _PACKETS)
    else:
        text = f"{content}: {content.command.summary}" if content else "unknown command"
        section = _ERRATIC_COMMANDS if erratic else _COMMANDS
    return {
        "n": frame.number,
        "t": frame.time,
        "to_robot": frame.to_robot,
        "hex": frame.data.hex(" "),
        "name": inspected.name,
        "text": text,
        "fields": inspected.fields,
        "section": section,
    }


def as_json(frames: Iterable[SeenFrame], *, erratic: bool) -> list[dict[str, Any]]:
    """Return frames decoded."""
    return [decoded(frame, erratic=erratic) for frame in frames]
