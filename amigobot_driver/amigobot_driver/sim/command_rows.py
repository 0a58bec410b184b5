# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Execution of commands from a table with one row per command, and the rows that all controllers share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from ..protocol import Arg, CommandTable, Instruction
from .drive import Drive
from .motion import Speed

#: the types of the argument that a command's row accepts; an int for all others
_KINDS: dict[Arg, type] = {Arg.NONE: type(None), Arg.TEXT: bytes}

T = TypeVar("T")


class DriveTarget(Protocol):
    """What the shared commands act on."""

    drive: Drive

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors on or off; `cause` is for the event."""
        ...


DriveRow = Callable[[DriveTarget, Any], None]


def run_row(rows: Mapping[CommandTable, Callable[[T, Any], None]], robot: T, instruction: Instruction) -> None:
    """Execute a command; without a row, or with a missing or wrong kind of argument, do nothing.

    Args:
        rows: What each command does, given the robot and the argument as the wire had it.
        robot: What the command acts on.
        instruction: The decoded command.
    """
    row = rows.get(instruction.command)
    if row is not None and isinstance(instruction.value, _KINDS.get(instruction.command.arg, int)):
        row(robot, instruction.value)


def drive_rows(table: type[CommandTable]) -> dict[CommandTable, DriveRow]:
    """Return the rows of the commands for motors and velocities that all controllers execute alike.

    Args:
        table: The controller's commands.

    Returns:
        What each command does, given the robot and the argument in the protocol's units.
    """
    rows: dict[str, DriveRow] = {
        "ENABLE": lambda robot, value: robot.enable_motors(value != 0),
        "STOP": lambda robot, _: robot.drive.stop(),
        "SETO": lambda robot, _: robot.drive.odometer.zero(),
        "VEL": lambda robot, value: robot.drive.translate(Speed(value / 1000)),
        "RVEL": lambda robot, value: robot.drive.rotate(Speed(math.radians(value))),
        "SETV": lambda robot, value: robot.drive.limit_speed(value),
        "SETRV": lambda robot, value: robot.drive.limit_turn_rate(value),
        "SETA": lambda robot, value: robot.drive.set_acceleration(value),
        "SETRA": lambda robot, value: robot.drive.set_turn_acceleration(value),
    }
    return {table[name]: row for name, row in rows.items()}
