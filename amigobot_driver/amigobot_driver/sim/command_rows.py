# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The commands that all controllers execute alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..protocol import CommandTable
from .controller import Controller
from .motion import Speed

DriveRow = Callable[[Controller[Any], Any], None]


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
