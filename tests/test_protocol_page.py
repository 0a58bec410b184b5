# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/protocol against the code: its tables, every frame, every sum, every parameter that it names."""

from __future__ import annotations

import dataclasses
import functools
import re

import pytest
from tools import protocol_tables

from amigobot_driver.parameter_table import TABLE
from amigobot_driver.profiles import Floor, Inputs, Link, Quirks
from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ERRATIC_COMMANDS,
    Command,
    CommandTable,
    ErraticCommand,
    Instruction,
    checksum,
    checksum_with_count,
    decode,
    encode_frame,
)

BOOK = protocol_tables.pages()
PAGE = "\n".join(BOOK.values())
#: A frame in the text, or in a code block over several lines.
FRAME = re.compile(r"\b(FA FB [0-9A-F]{2}(?:\s(?!FA FB)[0-9A-F]{2}\b)+)`?( <!-- [\w ]+ -->)?")
FRAMES = sorted({(" ".join(match[1].split()), match[2] or "") for match in FRAME.finditer(PAGE)})
#: A command as the code writes it, followed by its frame: in a text, in the next cells of a table, in a code block.
COMMAND_AND_FRAME = re.compile(r"^([A-Z][A-Z0-9_]+(?:\(.*\))?) +(FA FB [0-9A-F ]+)$", re.MULTILINE)
COMMAND_IN_TEXT = re.compile(r"`([A-Z][A-Z0-9_]+(?:\([^`]*\))?)`[^`\n]*`(FA FB [0-9A-F ]+)`(?! <!--)")


def data_of(frame: str) -> bytes:
    return bytes.fromhex(frame)[3:-2]


@functools.cache
def spelled(table: type[CommandTable], text: str) -> Instruction | None:
    """The instruction that is written like this, found by what its own frame decodes to."""
    name, _, argument = text.partition("(")
    if name not in table.__members__:
        return None
    value = argument.removesuffix(")")
    if value.startswith("b'"):
        raw = value[2:-1].encode("latin-1").decode("unicode_escape").encode("latin-1")
        return table[name](raw)
    return table[name](int(value) if value else None)


def test_the_protocol_page_has_the_tables_of_code() -> None:
    assert protocol_tables.written(BOOK) == BOOK, "stale: write them anew with ./run python -m tools.protocol_tables"


@pytest.mark.parametrize(("frame", "remark"), FRAMES)
def test_a_frame_is_what_the_codec_sends_or_reads(frame: str, remark: str) -> None:
    raw, data = bytes.fromhex(frame), data_of(frame)
    assert raw[2] == len(data) + 2
    sent = int.from_bytes(raw[-2:], "big")
    if "wrong checksum" in remark:
        assert sent not in (checksum(data), checksum_with_count(data))
        return
    assert sent == (checksum_with_count if "over count" in remark else checksum)(data)
    commands = [each.encode() for table in (ACTIVMEDIA_COMMANDS, ERRATIC_COMMANDS) if (each := decode(data, table))]
    packets_read = [protocol_tables.meaning(frame, erratic_robot=robot) for robot in (False, True)]
    built = commands + [encode_frame(packet.encode()) for packet in packets_read if packet]
    # What other clients spell in their own way is among the test vectors, which say what it means.
    assert built and (raw[:-2] in [each[:-2] for each in built] or frame in protocol_tables.frames().values())


@pytest.mark.parametrize(("text", "frame"), sorted({*COMMAND_AND_FRAME.findall(PAGE), *COMMAND_IN_TEXT.findall(PAGE)}))
def test_a_command_has_the_frame_beside_it(text: str, frame: str) -> None:
    instructions = [spelled(table, text) for table in (Command, ErraticCommand)]
    assert bytes.fromhex(frame) in [each.encode() for each in instructions if each]


def test_parameters_and_profile_keys_that_the_page_names_exist() -> None:
    named = set(re.findall(r"[Pp]arameters? `(\w+)`", PAGE))
    assert len(named) >= 5
    assert named <= {spec.name for spec in TABLE}
    parts = {"quirks": Quirks, "floor": Floor, "inputs": Inputs, "link": Link}
    keys = set(re.findall(r"`(quirks|floor|inputs|link)\.(\w+)`", PAGE))
    assert len(keys) >= 8
    for part, key in keys:
        assert key.removesuffix("_ms") in {field.name for field in dataclasses.fields(parts[part])}, f"{part}.{key}"
