# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every verified frame of the protocol reference, both ways: bytes to value and value to bytes.

`data/packets.json` holds the frames by name, `data/meanings.json` what each means: class or command, and values.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ACTIVMEDIA_PACKETS,
    ERRATIC_COMMANDS,
    Command,
    Instruction,
    Malformed,
    Packet,
    SyncEcho,
    decode,
    encode_frame,
    erratic,
    parse,
)

_DATA = Path(__file__).parent / "data"
FRAMES = {name: bytes.fromhex(text) for name, text in json.loads((_DATA / "packets.json").read_text()).items()}
MEANINGS: dict[str, dict[str, Any]] = json.loads((_DATA / "meanings.json").read_text())

#: Frames that other clients spell in their own way, and what this driver sends for the same thing.
SPELLINGS = {
    "open_aria": FRAMES["open"],  # a surplus integer
    "close_aria": FRAMES["close"],
    "config_aria": FRAMES["config"],
    "seto_player": FRAMES["seto"],  # a type byte without a value
    "tty2_aria": FRAMES["tty2"],  # a NUL behind the text
    "vel2_aria": FRAMES["vel2_raw"],  # the word negated
    "vel2_rn_aria": FRAMES["vel2_rn_raw"],
    "digout_aros_page": bytes.fromhex("FAFB 06 1E 3B E7F6 0631"),
    "er_stop_end": FRAMES["er_stop"],  # the manual's END byte
    "er_save_player": FRAMES["er_save"],  # an argument of type 0
}

every_vector = pytest.mark.parametrize("name", FRAMES)


def plain(value: Any) -> Any:
    """A value as JSON has it: bytes in hexadecimal digits, and no field that is None."""
    if is_dataclass(value):
        found = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: plain(item) for name, item in found if item is not None}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.hex() if isinstance(value, bytes) else value


def described(value: Packet | Instruction | None) -> dict[str, Any]:
    """A packet or command as `meanings.json` has it."""
    assert value is not None
    if isinstance(value, Instruction):
        return {f"{type(value.command).__name__}.{value.name}": plain(value.value)}
    return {type(value).__name__: plain(value)}


def read(name: str, data: bytes) -> Packet | Instruction | None:
    """What data means to the kind of robot or client that the frame of this name is for."""
    kind = next(iter(MEANINGS[name]))
    if "." in kind:
        return decode(data, ERRATIC_COMMANDS if name.startswith("er_") else ACTIVMEDIA_COMMANDS)
    return parse(data, erratic.ERRATIC_PACKETS if hasattr(erratic, kind) and kind != "Reset" else ACTIVMEDIA_PACKETS)


def data_of(frame: bytes) -> bytes:
    """A frame without its header, count and checksum."""
    return frame[3:-2]


def test_every_frame_has_a_meaning() -> None:
    assert len(FRAMES) == 139
    assert MEANINGS.keys() == FRAMES.keys()


@every_vector
def test_a_frame_is_read_and_written(name: str) -> None:
    value = read(name, data_of(FRAMES[name]))
    assert described(value) == MEANINGS[name]
    written = value.encode() if isinstance(value, Instruction) else encode_frame(value.encode()) if value else b""
    assert written == SPELLINGS.get(name, FRAMES[name])
    assert read(name, data_of(written)) == value


@pytest.mark.parametrize("name", [name for name, meaning in MEANINGS.items() if "." not in next(iter(meaning))])
def test_a_packet_that_is_cut_is_shorter_or_malformed(name: str) -> None:
    whole = data_of(FRAMES[name])
    for length in range(len(whole)):
        part = read(name, whole[:length])
        assert isinstance(part, Packet)
        assert part.id == (whole[0] if length else 0)
        assert not isinstance(part, Malformed) or part.encode() == (whole[:length] or b"\0")


def test_a_sync_is_a_command_and_its_echo() -> None:
    for number, name in enumerate(("PULSE", "OPEN")):
        data = data_of(FRAMES[f"sync{number}"])
        assert decode(data) == Command[name]()
        assert parse(data) == SyncEcho(id=number)
