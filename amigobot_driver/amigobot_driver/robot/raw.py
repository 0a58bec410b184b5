"""Any command by its number, for people who look at an odd firmware; what would go past the driver is refused."""

from __future__ import annotations

from collections.abc import Mapping

from ..protocol import Command, Instruction, Unlisted, find_command
from .envelope import Refused

#: What an unlisted command takes: 16 bits, either sign.
_LOW, _HIGH = -0x8000, 0xFFFF
#: ARIA's sideways velocity of robots that can; no table of the family's manuals has it.
_LATVEL = 110

_MOVES = "it moves the robot past cmd_vel_timeout, limits and emergency stop; use"
_LINK = "it would cut the driver off;"

#: Numbers that are never sent, and what to use instead.
REFUSED: Mapping[int, str] = {
    **{command.number: f"{_MOVES} cmd_vel" for command in (Command.VEL, Command.RVEL, Command.ROTATE)},
    **{command.number: f"{_MOVES} the action turn" for command in (Command.HEAD, Command.DHEAD, Command.DCHEAD)},
    _LATVEL: f"{_MOVES} cmd_vel",
    Command.VEL2.number: f"{_MOVES} cmd_wheels",
    Command.MOVE.number: f"{_MOVES} the action move",
    Command.JOYDRIVE.number: f"{_MOVES} cmd_vel",
    Command.ENABLE.number: "the motors need a stop first; use enable_motors",
    Command.OPEN.number: f"{_LINK} it opens the session itself",
    Command.CLOSE.number: f"{_LINK} end the node to close the session",
    Command.HOSTBAUD.number: f"{_LINK} see the parameter baud",
    Command.MAINTENANCE.number: "it ends in the firmware loader, which only ActivMedia's tools leave again",
}


def raw_instruction(number: int, arguments: list[int], text: bytes) -> Instruction | Unlisted:
    """A command from outside, checked against the table where it is in there. Raises Refused."""
    command = find_command(number)
    name = command.name if command else f"command {number}"
    if number in REFUSED:
        raise Refused(f"{name} is not sent: {REFUSED[number]}")
    if len(arguments) > 1 or (arguments and text):
        raise Refused(
            f"{name}: one number or one text is an argument, not {len(arguments)} numbers and {len(text)} bytes"
        )
    value = text or (arguments[0] if arguments else None)
    try:
        if command:
            # An empty text is an argument too.
            return command(b"" if value is None and command.arg.name == "TEXT" else value)
        if isinstance(value, int) and not _LOW <= value <= _HIGH:
            raise ValueError(f"{name} takes an integer from {_LOW} to {_HIGH}, got {value}")
        unlisted = Unlisted(number, value)
        unlisted.encode()
    except (ValueError, OverflowError) as error:
        raise Refused(str(error)) from None
    return unlisted
