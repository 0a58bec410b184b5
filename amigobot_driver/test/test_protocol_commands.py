# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The command tables: what each number means, which argument it takes, how that stands on the wire."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ERRATIC_COMMANDS,
    Arg,
    Command,
    CommandsByNumber,
    CommandTable,
    ErraticCommand,
    FrameDecoder,
    Instruction,
    decode,
)


def identify(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, CommandTable) else repr(value)


ALL: list[CommandTable] = [*Command, *ErraticCommand]
COMMANDS_OF: dict[type[CommandTable], CommandsByNumber] = {
    Command: ACTIVMEDIA_COMMANDS,
    ErraticCommand: ERRATIC_COMMANDS,
}
NUMERIC = [command for command in ALL if command.limits is not None]
TEXTS = [command for command in ALL if command.arg is Arg.TEXT]


class TestArguments:
    @pytest.mark.parametrize("command", NUMERIC, ids=identify)
    def test_a_value_out_of_range_is_refused_with_it(self, command: CommandTable) -> None:
        low, high = command.limits or (0, 0)
        for value in (low - 1, high + 1):
            with pytest.raises(
                ValueError, match=rf"^argument of {command.name} is {value}, expected an integer from {low} to {high}$"
            ):
                command(value)

    @pytest.mark.parametrize("command", TEXTS, ids=identify)
    def test_a_text_has_up_to_195_bytes(self, command: CommandTable) -> None:
        assert len(command(bytes(195)).encode()) == 203
        with pytest.raises(ValueError, match=f"^argument of {command.name} is .*, expected up to 195 bytes$"):
            command(bytes(196))


class TestWire:
    """docs/protocol 2.2: magnitude and sign byte, words, texts."""

    @pytest.mark.parametrize(
        ("instruction", "data"),
        [
            (Command.VEL(1), "0B 3B 0100"),
            (Command.VEL(-1), "0B 1B 0100"),
            (Command.VEL(0), "0B 3B 0000"),
            (Command.VEL(32767), "0B 3B FF7F"),
            (Command.VEL(-32768), "0B 1B 0080"),
            (Command.VEL2(0xF60A), "20 3B 0AF6"),
            (Command.TTY2(b""), "2A 2B 00"),
            (Command.TTY2(b"\x00\xfa\xfb"), "2A 2B 03 00FAFB"),
        ],
        ids=str,
    )
    def test_a_command_is_encoded_with_its_argument(self, instruction: Instruction, data: str) -> None:
        assert instruction.encode()[3:-2] == bytes.fromhex(data)

    @pytest.mark.parametrize(
        ("data", "meaning"),
        [
            ("00 3B 0100", Command.PULSE()),  # surplus argument
            ("0B 3B C800 00 00", Command.VEL(200)),  # surplus bytes
            ("0B 3B 38FF", Command.VEL(-200)),  # two's complement
            ("0B 1B 0000", Command.VEL(0)),
            ("20 1B F609", Command.VEL2(0xF60A)),  # ARIA: the word negated
            ("20 3B 0AF6", Command.VEL2(0xF60A)),  # Player: the bytes as they are
            ("2A 2B 03 41540D 00", Command.TTY2(b"AT\r")),  # ARIA: a NUL behind it
            ("2A 2B 09 41540D", Command.TTY2(b"AT\r")),  # less than announced
            ("0B", Instruction(Command.VEL)),
            ("0B 3B", Instruction(Command.VEL)),
            ("0B 3B C8", Instruction(Command.VEL)),
            ("2A", Instruction(Command.TTY2)),
            ("2A 2B", Instruction(Command.TTY2)),
            ("0E", None),
            ("FE 3B 0100", None),
            ("", None),
        ],
    )
    def test_clients_are_loose_with_arguments(self, data: str, meaning: Instruction | None) -> None:
        assert decode(bytes.fromhex(data)) == meaning


def arguments(command: CommandTable) -> st.SearchStrategy[int | bytes | None]:
    if command.limits is not None:
        return st.integers(*command.limits)
    return st.binary(max_size=195) if command.arg is Arg.TEXT else st.none()


@pytest.mark.parametrize("command", ALL, ids=identify)
@settings(max_examples=10)
@given(data=st.data())
def test_every_instruction_survives_encoding_and_decoding(command: CommandTable, data: st.DataObject) -> None:
    instruction = command(data.draw(arguments(command)))
    (frame,) = FrameDecoder().feed(instruction.encode(), now=0.0)
    assert decode(frame.data, COMMANDS_OF[type(command)]) == instruction
