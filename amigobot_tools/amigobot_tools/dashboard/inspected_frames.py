# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The frames on the line, decoded, for the packet inspector."""

from __future__ import annotations

import re
from typing import Any

from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.protocol import Packet, inspect_frame

_SECTION = re.compile(r"docs/protocol (\d+(?:\.\d+)?)")
_COMMANDS, _ERRATIC_COMMANDS = "4.1", "4.2"
_PACKETS = "5.1"  # of the packets whose docstring names no section


def decoded(number: int, frame: RecordedFrame, *, erratic: bool) -> dict[str, Any]:
    """Return a frame with name, text, fields in the robot's units, and its section in docs/protocol."""
    inspected = inspect_frame(frame.data, to_robot=frame.to_robot, erratic=erratic)
    content = inspected.content
    if isinstance(content, Packet):
        fields = ((key, value) for key, value in inspected.fields.items() if key != "id" and value is not None)
        text = ", ".join(f"{key}={value}" for key, value in fields)
        cited = _SECTION.search(type(content).__doc__ or "")
        section = cited[1] if cited else _PACKETS
    else:
        text = f"{content}: {content.command.summary}" if content else "unknown command"
        section = _ERRATIC_COMMANDS if erratic else _COMMANDS
    return {
        "n": number,
        "t": frame.time,
        "to_robot": frame.to_robot,
        "hex": frame.data.hex(" "),
        "name": inspected.name,
        "text": text,
        "fields": inspected.fields,
        "section": section,
    }
