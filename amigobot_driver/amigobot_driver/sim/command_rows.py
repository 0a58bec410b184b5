# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The commands that all controllers execute alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..protocol import Command, CommandTable
from .controller import Controller
from .motion import Speed

DriveRow = Callable[[Controller[Any], Any], None]

#: What each command for motors and velocities does, given the robot and the argument in the protocol's units.
DRIVE_ROWS: dict[CommandTable, DriveRow] = {
    Command.ENABLE: lambda robot, value: robot.enable_motors(value != 0),
    Command.STOP: lambda robot, _: robot.drive.stop(),
    Command.SETO: lambda robot, _: robot.drive.odometer.zero(),
    Command.VEL: lambda robot, value: robot.drive.translate(Speed(value / 1000)),
    Command.RVEL: lambda robot, value: robot.drive.rotate(Speed(math.radians(value))),
    Command.SETV: lambda robot, value: robot.drive.limit_speed(value),
    Command.SETRV: lambda robot, value: robot.drive.limit_turn_rate(value),
    Command.SETA: lambda robot, value: robot.drive.set_acceleration(value),
    Command.SETRA: lambda robot, value: robot.drive.set_turn_acceleration(value),
}
