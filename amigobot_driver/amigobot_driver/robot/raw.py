# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Commands by their numbers, for experts; those that would bypass the driver are refused."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import RequestRefusedError
from ..protocol import CommandsByNumber, CommandTable, Instruction
from ..wording import counted

_LOW = -0x8000  # least argument of an unlisted command: 16 bits with a sign
_HIGH = 0xFFFF  # its largest argument: 16 bits without one
#: ARIA's sideways velocity of robots that can; no command table of a manual has it.
_LATVEL = 110

_MOVES = "it moves the robot past time limit, velocity limits and emergency stop; use"
_LINK = "it would end the session of the driver;"


def _name(number: int, command: CommandTable | None = None) -> str:
    return command.name if command else f"command {number}"


#: Commands that are never sent, and what to use instead.
REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("VEL", "RVEL", "ROTATE", "JOYDRIVE", _name(_LATVEL)), f"{_MOVES} a velocity"),
    **dict.fromkeys(("HEAD", "DHEAD", "DCHEAD"), f"{_MOVES} turn"),
    "VEL2": f"{_MOVES} velocities of the wheels",
    "MOVE": f"{_MOVES} move",
    "ENABLE": "the motors need a stop first; enable or disable the motors instead",
    "OPEN": f"{_LINK} the driver sends it after connecting",
    "CLOSE": f"{_LINK} the driver sends it when it ends",
    "HOSTBAUD": f"{_LINK} the driver finds the speed of the line and keeps it",
    "MAINTENANCE": "it ends in the firmware loader, which only ActivMedia's tools can leave",
    "SETO": "it zeroes the counters of the odometry; reset the odometry instead",
    "SAVE": "it overwrites the robot's FLASH; save the configuration instead",
}


def raw_instruction(number: int, arguments: list[int], text: bytes, commands: CommandsByNumber) -> Instruction:
    """Return an instruction, checked against the robot's table if the command is in it.

    Args:
        number: Number of the command.
        arguments: None or one integer.
        text: Text argument.
        commands: Those of the robot.

    Raises:
        RequestRefusedError: The command is not allowed, or its argument does not fit.
    """
    command = commands.get(number)
    name = _name(number, command)
    if name in REFUSED:
        raise RequestRefusedError(f"{name} is not sent: {REFUSED[name]}")
    if len(arguments) > 1 or (arguments and text):
        raise RequestRefusedError(
            f"argument of {name} is {counted(len(arguments), 'number')} and {counted(len(text), 'byte')} of text, "
            "expected one number or one text"
        )
    value = text or (arguments[0] if arguments else None)
    try:
        if command:
            # An empty text is an argument too.
            return command(b"" if value is None and command.arg.name == "TEXT" else value)
        if isinstance(value, int) and not _LOW <= value <= _HIGH:
            raise ValueError(f"argument of {name} is {value}, expected an integer from {_LOW} to {_HIGH}")
        instruction = Instruction(number, value)
        instruction.encode()
    except (ValueError, OverflowError) as error:
        raise RequestRefusedError(str(error)) from None
    return instruction
