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

#: Kept by hand, to check docs/protocol 4.1: number, name, argument, first AmigOS version.
#: Arguments:
#: - none, u unsigned, s signed, 2b two raw bytes, str text. AmigOS: - not listed, t only described.
FAMILY = """
    0 PULSE - 1.0       1 OPEN - 1.0          2 CLOSE - 1.0        3 POLLING str 1.0    4 ENABLE u 1.0
    5 SETA s 1.0        6 SETV u 1.0          7 SETO - 1.0         8 MOVE s -           9 ROTATE s -
   10 SETRV u 1.0      11 VEL s 1.0          12 HEAD s 1.0        13 DHEAD s 1.0       15 SAY str -
   17 JOYREQUEST u -   18 CONFIG - 1.0       19 ENCODER u 1.0     20 SETRVDIR s -      21 RVEL s 1.0
   22 DCHEAD s 1.0     23 SETRA s 1.0        28 SONAR u 1.0       29 STOP - 1.0        30 DIGOUT 2b t
   32 VEL2 2b 1.0      33 GRIPPER u -        35 ADSEL u 1.0       36 GRIPPERVAL u -    37 GRIPREQUEST u -
   40 IOREQUEST u 1.2  41 PTUPOS 2b -        42 TTY2 str 1.0      43 GETAUX u 1.0      44 BUMPSTALL u -
   45 TCM2 u -         47 JOYDRIVE u -       48 SONARCYCLE u -    50 HOSTBAUD u -      51 AUX1BAUD u -
   52 AUX2BAUD u -     53 AUX3BAUD u -       55 E_STOP - 1.0      56 E_STALL u -       57 QSTOP - -
   58 GYRO u -         59 LCDWRITE str -     60 TTY4 str -        61 GETAUX3 u -       62 BATTERYINFO u -
   64 STEP - 1.0       66 TTY3 str 1.3       67 GETAUX2 u 1.3     68 CHARGE u -
   82 ROTKP u 1.3      83 ROTKV u 1.3        84 ROTKI u 1.3       85 TRANSKP u 1.3     86 TRANSKV u 1.3
   87 TRANSKI u 1.3    88 REVCOUNT u 1.3     89 DRIFTFACTOR s -   90 SOUND u 1.0       91 PLAYLIST u 1.0
   92 SOUNDTOG u 1.0   93 TICKSMM u -       250 BATTEST u -      251 BATTEMPTEST s -  252 TEMPTEST s -
  253 RESET - -       255 MAINTENANCE - -
"""
#: docs/protocol 4.2: what only the Erratic has.
ERRATIC_ONLY = """
   71 ANALOG u         72 SAVE -             73 PWM_FREQ u        74 PWM_DUTY u        75 SERVO str
   80 TRANS_P u        81 TRANS_D u          82 TRANS_I u         83 ROT_P u           84 ROT_D u
   85 ROT_I u          90 NAME str           91 SERIAL str        92 TYPE str          93 SUBTYPE str
"""

ARGS = {"-": Arg.NONE, "u": Arg.UINT, "s": Arg.INT, "2b": Arg.WORD, "str": Arg.TEXT}


def rows(text: str, columns: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[i : i + columns]) for i in range(0, len(words), columns)]


def identify(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, CommandTable) else repr(value)


ALL: list[CommandTable] = [*Command, *ErraticCommand]
COMMANDS_OF: dict[type[CommandTable], CommandsByNumber] = {
    Command: ACTIVMEDIA_COMMANDS,
    ErraticCommand: ERRATIC_COMMANDS,
}
NUMERIC = [command for command in ALL if command.limits is not None]
TEXTS = [command for command in ALL if command.arg is Arg.TEXT]


class TestTables:
    @pytest.mark.parametrize(("number", "name", "arg", "amigos"), rows(FAMILY, 4))
    def test_every_row_of_the_reference(self, number: str, name: str, arg: str, amigos: str) -> None:
        command = Command[name]
        assert (command.number, command.arg) == (int(number), ARGS[arg])
        assert command.firmware.get("A") == {"-": None, "t": ""}.get(amigos, amigos)

    @pytest.mark.parametrize(("number", "name", "arg"), rows(ERRATIC_ONLY, 3))
    def test_every_row_of_the_erratic(self, number: str, name: str, arg: str) -> None:
        command = ErraticCommand[name]
        assert (command.number, command.arg) == (int(number), ARGS[arg])
        assert command.firmware == {"E": ""}

    def test_the_numbers_that_mean_other_things_to_an_erratic(self) -> None:
        """Sent to the wrong robot they change other PID terms, play sounds or overwrite its identity."""
        shared = ACTIVMEDIA_COMMANDS.keys() & ERRATIC_COMMANDS.keys()
        colliding = {number for number in shared if ACTIVMEDIA_COMMANDS[number] is not ERRATIC_COMMANDS[number]}
        assert colliding == {*range(71, 76), 80, 81, *range(82, 86), *range(90, 94)}


class TestArguments:
    @pytest.mark.parametrize("command", NUMERIC, ids=identify)
    def test_a_value_out_of_range_is_refused_with_the_range(self, command: CommandTable) -> None:
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

    def test_some_commands_have_narrower_ranges(self) -> None:
        """The ranges of docs/protocol 4.1 and E-27."""
        assert {row.name: row.limits for row in Command if row.limits and row.limits[1] < 0x7FFF} == {
            **dict.fromkeys(("GETAUX", "GETAUX2", "GETAUX3"), (0, 195)),
            **dict.fromkeys(("HOSTBAUD", "AUX1BAUD", "AUX2BAUD", "AUX3BAUD"), (0, 4)),
            **{"BUMPSTALL": (0, 3), "SONARCYCLE": (2, 120), "SOUND": (1, 255), "PLAYLIST": (0, 255)},
        }


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
