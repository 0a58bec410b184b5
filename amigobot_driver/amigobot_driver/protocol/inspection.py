# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A frame of either direction as a person reads it: its name, its content and the fields as plain values."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from .commands import ACTIVMEDIA_COMMANDS, ERRATIC_COMMANDS, Instruction, decode
from .erratic import ERRATIC_PACKETS
from .packet import Packet, PacketTable
from .packets import ACTIVMEDIA_PACKETS, parse


def packets_of(erratic: bool) -> PacketTable:
    """Return the packets of an Erratic, or of the robots of ActivMedia."""
    return ERRATIC_PACKETS if erratic else ACTIVMEDIA_PACKETS


@dataclass(frozen=True, slots=True)
class InspectedFrame:
    """The content of one frame."""

    name: str  #: of the packet or the command; "unknown" for an unknown command
    content: Packet | Instruction | None  #: None for an unknown command
    fields: dict[str, Any]  #: of a packet, in the units of the robot: numbers, texts, lists; bytes as hexadecimal text


def inspect_frame(data: bytes, *, to_robot: bool, erratic: bool) -> InspectedFrame:
    """Return the content of a frame.

    Args:
        data: Of the frame, without header, count and checksum.
        to_robot: It is a command.
        erratic: The robot speaks the dialect of the Erratic.
    """
    if to_robot:
        command = decode(data, ERRATIC_COMMANDS if erratic else ACTIVMEDIA_COMMANDS)
        return InspectedFrame(command.name if command else "unknown", command, {})
    packet = parse(data, packets_of(erratic))
    return InspectedFrame(type(packet).__name__, packet, _plain(packet))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, bytes):
        return value.hex()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
