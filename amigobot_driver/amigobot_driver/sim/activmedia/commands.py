# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How an ActivMedia robot executes each command (docs/protocol 4.1, 8.4)."""

from __future__ import annotations

import math

from ...protocol import Command, CommandTable, signed
from ..controller import SHARED_HANDLERS, Controller, Handler
from ..motion_server import Velocity
from .flash import ActivMediaFlash

Robot = Controller[ActivMediaFlash]


def _tunes(name: str) -> Handler:
    """Return a handler that changes one tuning value."""
    return lambda robot, value: robot.drive.tune(name, value)


def _divisor(name: str) -> Handler:
    """Return a handler that changes a tuning value by which the odometer divides: 0 is ignored."""
    return lambda robot, value: robot.drive.tune(name, value) if value else None


def _stream(name: str) -> Handler:
    """Return a handler that requests a stream of packets."""
    return lambda robot, value: robot.telemetry.request(name, value)


def _vel2(robot: Robot, word: int) -> None:
    unit = robot.profile.units.wheel_velocity
    robot.drive.drive_wheels(signed(word >> 8, 8) * unit, signed(word, 8) * unit)


def _sonar_cycle(robot: Robot, milliseconds: int) -> None:
    # Other values are ignored.
    if 2 <= milliseconds <= 120:
        robot.tuning.sonar_cycle = milliseconds
        robot.hardware.sonar.cycle = milliseconds / 1000


def _servo(robot: Robot, word: int) -> None:
    robot.event("servo", f"{word >> 8} to a pulse of {word & 0xFF}")


def _charge(robot: Robot, value: int) -> None:
    if robot.flash.charger and robot.hardware.battery.contacts_extended is not bool(value):
        robot.hardware.battery.contacts_extended = bool(value)
        robot.event("charger", "contacts extended" if value else "contacts retracted")


def _battest(robot: Robot, value: int) -> None:
    robot.hardware.battery.test_volts = value / 10 if value else None


HANDLERS: dict[CommandTable, Handler] = {
    **SHARED_HANDLERS,
    Command.SETO: lambda robot, _: robot.zero_odometry(),
    Command.OPEN: lambda robot, _: None,  # the session is open already
    Command.RESET: lambda robot, _: robot.reset(),
    Command.SONAR: lambda robot, value: robot.switch_sonar(value),
    Command.BUMPSTALL: lambda robot, value: robot.set_bump_stall(value),
    Command.CHARGE: _charge,
    Command.E_STOP: lambda robot, _: robot.drive.emergency_stop(),
    Command.QSTOP: lambda robot, _: robot.drive.emergency_stop(),
    Command.ROTATE: lambda robot, value: robot.drive.rotate(Velocity(math.radians(value))),
    Command.HEAD: lambda robot, value: robot.drive.turn_to(math.radians(value)),
    Command.DHEAD: lambda robot, value: robot.drive.turn_to(robot.drive.odometer.heading + math.radians(value)),
    Command.DCHEAD: lambda robot, value: robot.drive.turn_to(robot.drive.control + math.radians(value)),
    Command.VEL2: _vel2,
    Command.ROTKP: _tunes("rot_kp"),
    Command.ROTKV: _tunes("rot_kv"),
    Command.ROTKI: _tunes("rot_ki"),
    Command.TRANSKP: _tunes("trans_kp"),
    Command.TRANSKV: _tunes("trans_kv"),
    Command.TRANSKI: _tunes("trans_ki"),
    Command.DRIFTFACTOR: _tunes("drift_factor"),
    Command.TICKSMM: _divisor("ticks_mm"),
    Command.REVCOUNT: _divisor("rev_count"),
    Command.SONARCYCLE: _sonar_cycle,
    Command.ENCODER: lambda robot, value: robot.request_encoders(value),
    Command.IOREQUEST: _stream("io"),
    Command.JOYREQUEST: _stream("joystick"),
    Command.TCM2: lambda robot, value: robot.hardware.compass.switch(value),
    Command.GRIPPER: lambda robot, value: robot.hardware.gripper.execute(value),
    Command.GRIPPERVAL: lambda robot, value: robot.hardware.gripper.set_value(signed(value, 16)),
    Command.GRIPREQUEST: _stream("gripper"),
    Command.PTUPOS: _servo,
    Command.GYRO: lambda robot, value: robot.hardware.gyro.switch(value == 1 and robot.flash.has_gyro == 1),
    Command.SOUND: lambda robot, value: robot.hardware.sounds.play(value),
    Command.SOUNDTOG: lambda robot, value: robot.hardware.sounds.switch(value != 0),
    Command.PLAYLIST: lambda robot, value: robot.hardware.sounds.request_listing(value),
    Command.HOSTBAUD: lambda robot, value: robot.change_baud(value),
    Command.GETAUX: lambda robot, count: robot.hardware.aux[0].request(count),
    Command.GETAUX2: lambda robot, count: robot.hardware.aux[1].request(count),
    Command.GETAUX3: lambda robot, count: robot.hardware.aux[2].request(count),
    Command.DIGOUT: lambda robot, value: robot.hardware.pins.set_outputs(value),
    Command.ADSEL: lambda robot, value: robot.hardware.pins.select(value),
    Command.BATTEST: _battest,
    Command.POLLING: lambda robot, text: robot.hardware.sonar.set_sequence(text),
    Command.TTY2: lambda robot, text: robot.hardware.aux[0].write(text, robot.now),
    Command.TTY3: lambda robot, text: robot.hardware.aux[1].write(text, robot.now),
    Command.TTY4: lambda robot, text: robot.hardware.aux[2].write(text, robot.now),
    Command.SAY: lambda robot, text: robot.hardware.sounds.say(text),
}
