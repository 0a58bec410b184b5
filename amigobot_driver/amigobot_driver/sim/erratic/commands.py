"""What each command does to an Erratic: one row a command (docs/protocol.md 4.2; Erratic manual E.6).

As in the family, a row whose argument is missing or of another kind is passed over, and so is a value that is out
of its range: the controller answers nothing to anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...protocol import Arg, CommandTable, ErraticCommand, Instruction
from ..keywords import WORD
from ..motion import Distance, Speed

if TYPE_CHECKING:
    from .firmware import ErraticFirmware

Row = Callable[["ErraticFirmware", Any], None]

_KINDS: dict[Arg, type] = {Arg.NONE: type(None), Arg.TEXT: bytes}


def execute(robot: ErraticFirmware, instruction: Instruction) -> None:
    """Do what a client asks."""
    if isinstance(instruction.value, _KINDS.get(instruction.command.arg, int)):
        _ROWS[instruction.command](robot, instruction.value)


def _acceleration(up: str, down: str) -> Row:
    """SETA and SETRA: the sign chooses the one or the other; 0 would never arrive and is ignored.

    Source: docs/protocol.md E-52.
    """

    def change(robot: ErraticFirmware, value: int) -> None:
        if value:
            setattr(robot.working, up if value > 0 else down, min(abs(value), WORD))
            robot.drive.configure()

    return change


def _term(name: str) -> Row:
    """A PID term."""

    def change(robot: ErraticFirmware, value: int) -> None:
        if value <= WORD:
            setattr(robot.working, name, value)
            robot.drive.configure()

    return change


def _identity(name: str, length: int) -> Row:
    """A text of the robot's identity, up to a NUL or to what the packet has room for (docs/protocol.md E-49)."""

    def change(robot: ErraticFirmware, value: bytes) -> None:
        setattr(robot.working, name, value.partition(b"\0")[0][:length].decode("latin-1"))

    return change


def _velocity(robot: ErraticFirmware, value: int) -> None:
    robot.drive.translate(Speed(value / 1000))


def _move(robot: ErraticFirmware, value: int) -> None:
    robot.distance_target = value
    robot.drive.translate(Distance(value / 1000))


def _turn(robot: ErraticFirmware, heading: float) -> None:
    robot.heading_target = heading
    robot.drive.turn_to(heading)


def _turn_to(robot: ErraticFirmware, value: int) -> None:
    _turn(robot, math.radians(value))


def _turn_by(robot: ErraticFirmware, value: int) -> None:
    """Both numbers are relative to where the robot points now (docs/protocol.md E-51)."""
    _turn(robot, robot.drive.odometer.heading + math.radians(value))


def _wheels(robot: ErraticFirmware, word: int) -> None:
    unit = robot.profile.units.wheel_velocity
    first, second = (unit * int.from_bytes(bytes((byte,)), "little", signed=True) for byte in (word & 0xFF, word >> 8))
    left, right = (second, first) if robot.revision.wheels == "right" else (first, second)
    robot.drive.drive_wheels(left, right)


def _pwm_frequency(robot: ErraticFirmware, hertz: int) -> None:
    low, high = ErraticCommand.PWM_FREQ.limits or (0, 0)
    if low <= hertz <= high:
        robot.working.set_pwm_frequency(hertz)


def _pwm_duty(robot: ErraticFirmware, value: int) -> None:
    whole = 100 if robot.revision.duty == "percent" else 1000
    if value <= whole:
        robot.working.set_pwm_duty(value / whole)


def _servo(robot: ErraticFirmware, text: bytes) -> None:
    if len(text) >= 3 and text[0] < len(robot.servos):
        robot.move_servo(text[0], int.from_bytes(text[1:3], "little"))


_ROWS: dict[CommandTable, Row] = {
    ErraticCommand.PULSE: lambda robot, _: None,  # the watchdog was reset by its arrival
    ErraticCommand.OPEN: lambda robot, _: robot.open(),
    ErraticCommand.CLOSE: lambda robot, _: robot.close("the client closed it"),
    ErraticCommand.CONFIG: lambda robot, _: robot.answer(robot.working.packet()),
    ErraticCommand.SAVE: lambda robot, _: robot.save(),
    # motion
    ErraticCommand.ENABLE: lambda robot, value: robot.enable_motors(value != 0),
    ErraticCommand.STOP: lambda robot, _: robot.drive.stop(),
    ErraticCommand.SETO: lambda robot, _: robot.drive.odometer.zero(),
    ErraticCommand.VEL: _velocity,
    ErraticCommand.RVEL: lambda robot, value: robot.drive.rotate(Speed(math.radians(value))),
    ErraticCommand.MOVE: _move,
    ErraticCommand.HEAD: _turn_to,
    ErraticCommand.DHEAD: _turn_by,
    ErraticCommand.DCHEAD: _turn_by,
    ErraticCommand.VEL2: _wheels,
    # limits and tuning
    ErraticCommand.SETV: lambda robot, value: robot.drive.limit_speed(value),
    ErraticCommand.SETRV: lambda robot, value: robot.drive.limit_turn_rate(value),
    ErraticCommand.SETA: _acceleration("trans_acc", "trans_decel"),
    ErraticCommand.SETRA: _acceleration("rot_acc", "rot_decel"),
    ErraticCommand.TRANS_P: _term("trans_kp"),
    ErraticCommand.TRANS_D: _term("trans_kv"),
    ErraticCommand.TRANS_I: _term("trans_ki"),
    ErraticCommand.ROT_P: _term("rot_kp"),
    ErraticCommand.ROT_D: _term("rot_kv"),
    ErraticCommand.ROT_I: _term("rot_ki"),
    ErraticCommand.PWM_FREQ: _pwm_frequency,
    ErraticCommand.PWM_DUTY: _pwm_duty,
    # streams
    ErraticCommand.ENCODER: lambda robot, value: robot.telemetry.switch_encoders(value != 0),
    ErraticCommand.ANALOG: lambda robot, value: robot.telemetry.switch_analog(value != 0),
    ErraticCommand.SONAR: lambda robot, value: robot.hardware.sonar.switch(value != 0),
    # the rest
    ErraticCommand.SERVO: _servo,
    ErraticCommand.NAME: _identity("name", 20),
    ErraticCommand.SERIAL: _identity("serial", 9),
    ErraticCommand.TYPE: _identity("type", 20),
    ErraticCommand.SUBTYPE: _identity("subtype", 20),
}
