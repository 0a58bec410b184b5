# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How an Erratic executes each command (docs/protocol 4.2; Erratic manual E.6).

A value outside its range is ignored: the controller reports no errors.
"""

from __future__ import annotations

import math

from ...protocol import Command, CommandTable, ErraticCommand, signed
from ..controller import SHARED_HANDLERS, Controller, Handler
from ..fields import WORD
from .flash import ErraticFlash

Robot = Controller[ErraticFlash]
_SERVOS = 3  # outputs for servos


def _term(name: str) -> Handler:
    """Return a handler that changes a PID term."""
    return lambda robot, value: robot.drive.tune(name, value) if value <= WORD else None


def _identity(name: str, length: int) -> Handler:
    """Return a handler that changes an identity text, up to a NUL or the size of its field (docs/protocol E-49)."""

    def change(robot: Robot, value: bytes) -> None:
        setattr(robot.tuning, name, value.partition(b"\0")[0][:length].decode("latin-1"))

    return change


def _wheels(robot: Robot, word: int) -> None:
    unit = robot.profile.units.wheel_velocity
    first, second = (unit * signed(byte, 8) for byte in (word & 0xFF, word >> 8))
    left, right = (second, first) if not robot.profile.quirks.left_wheel_first else (first, second)
    robot.drive.drive_wheels(left, right)


def _pwm_duty(robot: Robot, value: int) -> None:
    whole = 1000 if robot.profile.quirks.duty_per_mille else 100
    if value <= whole:
        robot.tuning.pwm_max = round(value / whole * robot.tuning.pwm_wrap)


def _servo(robot: Robot, text: bytes) -> None:
    if len(text) >= 3 and text[0] < _SERVOS:
        robot.event("servo", f"{text[0]} to {int.from_bytes(text[1:3], 'little')}")


HANDLERS: dict[CommandTable, Handler] = {
    **SHARED_HANDLERS,
    Command.OPEN: lambda robot, _: robot.open(),
    ErraticCommand.SAVE: lambda robot, _: robot.save(),
    Command.MOVE: lambda robot, value: robot.move(value),
    Command.HEAD: lambda robot, value: robot.turn_to(math.radians(value)),
    Command.DHEAD: lambda robot, value: robot.turn_by(value),
    Command.DCHEAD: lambda robot, value: robot.turn_by(value),
    Command.VEL2: _wheels,
    ErraticCommand.TRANS_P: _term("trans_kp"),
    ErraticCommand.TRANS_D: _term("trans_kv"),
    ErraticCommand.TRANS_I: _term("trans_ki"),
    ErraticCommand.ROT_P: _term("rot_kp"),
    ErraticCommand.ROT_D: _term("rot_kv"),
    ErraticCommand.ROT_I: _term("rot_ki"),
    ErraticCommand.PWM_FREQ: lambda robot, value: robot.tuning.set_pwm_frequency(value),
    ErraticCommand.PWM_DUTY: _pwm_duty,
    Command.ENCODER: lambda robot, value: robot.telemetry.request("encoders", 2 * (value != 0)),
    ErraticCommand.ANALOG: lambda robot, value: robot.telemetry.request("analog", 2 * (value != 0)),
    Command.SONAR: lambda robot, value: robot.hardware.sonar.switch(value != 0),
    ErraticCommand.SERVO: _servo,
    ErraticCommand.NAME: _identity("name", 20),
    ErraticCommand.SERIAL: _identity("serial", 9),
    ErraticCommand.TYPE: _identity("type", 20),
    ErraticCommand.SUBTYPE: _identity("subtype", 20),
}
