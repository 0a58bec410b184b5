"""What each command does to the robot: one row a command, read by the firmware (docs/protocol.md 4.1, 8.4).

Arguments come as the wire had them; a row that needs a number or a text is passed over when the client left
it out, as is any number that the firmware has no row for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..protocol import Command, CommandTable, Instruction
from .motion import Distance, Speed

if TYPE_CHECKING:
    from .firmware import Firmware


def execute(robot: Firmware, instruction: Instruction) -> None:
    """Do what a client asks, as far as this firmware knows how."""
    command, value = instruction.command, instruction.value
    if not robot.dialect.knows(command):
        return
    if command in _PLAIN:
        _PLAIN[command](robot)
    elif command in _NUMBER and isinstance(value, int):
        _NUMBER[command](robot, value)
    elif command in _TEXT and isinstance(value, bytes):
        _TEXT[command](robot, value)


def _parameter(name: str) -> Callable[[Firmware, int], None]:
    """A row that changes one working parameter."""

    def change(robot: Firmware, value: int) -> None:
        setattr(robot.working, name, value)
        robot.drive.configure()

    return change


def _acceleration(up: str, down: str, top: str) -> Callable[[Firmware, int], None]:
    """SETA and SETRA: the sign chooses the one or the other; 0 would never arrive and is ignored."""

    def change(robot: Firmware, value: int) -> None:
        if value:
            setattr(robot.working, up if value > 0 else down, min(abs(value), getattr(robot.working, top)))
            robot.drive.configure()

    return change


def _factor(name: str) -> Callable[[Firmware, int], None]:
    """A row that changes a working parameter which the odometer divides by: 0 is ignored."""
    change = _parameter(name)
    return lambda robot, value: change(robot, value) if value else None


def _signed_byte(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _signed_word(word: int) -> int:
    return word - 0x10000 if word > 0x7FFF else word


def _vel2(robot: Firmware, word: int) -> None:
    unit = robot.profile.units.wheel_velocity
    robot.drive.drive_wheels(_signed_byte(word >> 8) * unit, _signed_byte(word & 0xFF) * unit)


def _sonar_cycle(robot: Firmware, milliseconds: int) -> None:
    robot.hardware.sonar.set_cycle(milliseconds)
    robot.working.sonar_cycle = round(robot.hardware.sonar.cycle * 1000)


def _encoder(robot: Firmware, value: int) -> None:
    robot.telemetry.encoders = min(value, 2) if robot.dialect.encoder_once else 2 * (value > 0)


def _io_request(robot: Firmware, value: int) -> None:
    robot.telemetry.io = min(value, 2)


def _sonar(robot: Firmware, value: int) -> None:
    """Bit 0 is the switch; on robots with several arrays the bits after it may name one of them."""
    sonar = robot.hardware.sonar
    if robot.dialect.sonar_arrays:
        sonar.switch(bool(value & 1), value >> 1 & 0b111)
    else:
        sonar.switch(value != 0)


def _bump_stall(robot: Firmware, value: int) -> None:
    robot.bump_stall = value & 0b11


def _gripper_request(robot: Firmware, value: int) -> None:
    robot.telemetry.gripper = min(value, 2)


def _joystick_request(robot: Firmware, value: int) -> None:
    robot.telemetry.joystick = min(value, 2)


def _servo(robot: Firmware, word: int) -> None:
    robot.event("servo", f"{word >> 8} to a pulse of {word & 0xFF}")


def _charge(robot: Firmware, value: int) -> None:
    if robot.flash.charger and robot.hardware.battery.reaching is not bool(value):
        robot.hardware.battery.reaching = bool(value)
        robot.event("charger", "reaches for the dock" if value else "is drawn in")


def _battest(robot: Firmware, value: int) -> None:
    robot.hardware.battery.pretended = value / 10 if value else None


_PLAIN: dict[CommandTable, Callable[[Firmware], None]] = {
    Command.PULSE: lambda robot: None,  # the watchdog was reset by its arrival
    Command.OPEN: lambda robot: None,  # once more: keeps streaming
    Command.CLOSE: lambda robot: robot.close("the client closed it"),
    Command.CONFIG: lambda robot: robot.answer(robot.telemetry.config()),
    Command.STOP: lambda robot: robot.drive.stop(),
    Command.E_STOP: lambda robot: robot.drive.emergency_stop(),
    Command.QSTOP: lambda robot: robot.drive.emergency_stop(),
    Command.SETO: lambda robot: robot.drive.odometer.zero(),
    Command.RESET: lambda robot: robot.reset(),
    Command.MAINTENANCE: lambda robot: robot.enter_maintenance(),
}

_NUMBER: dict[CommandTable, Callable[[Firmware, int], None]] = {
    # switches
    Command.ENABLE: lambda robot, value: robot.enable_motors(value != 0),
    Command.SONAR: _sonar,
    Command.BUMPSTALL: _bump_stall,
    Command.CHARGE: _charge,
    # motion
    Command.VEL: lambda robot, value: robot.drive.translate(Speed(value / 1000)),
    Command.MOVE: lambda robot, value: robot.drive.translate(Distance(value / 1000)),
    Command.RVEL: lambda robot, value: robot.drive.rotate(Speed(math.radians(value))),
    Command.ROTATE: lambda robot, value: robot.drive.rotate(Speed(math.radians(value))),
    Command.HEAD: lambda robot, value: robot.drive.turn_to(math.radians(value)),
    Command.DHEAD: lambda robot, value: robot.drive.turn_by(math.radians(value)),
    Command.DCHEAD: lambda robot, value: robot.drive.turn_further(math.radians(value)),
    Command.VEL2: _vel2,
    # limits and tuning
    Command.SETV: lambda robot, value: robot.drive.limit_speed(value),
    Command.SETRV: lambda robot, value: robot.drive.limit_turn_rate(value),
    Command.SETA: _acceleration("trans_acc", "trans_decel", "trans_acc_top"),
    Command.SETRA: _acceleration("rot_acc", "rot_decel", "rot_acc_top"),
    Command.ROTKP: _parameter("rot_kp"),
    Command.ROTKV: _parameter("rot_kv"),
    Command.ROTKI: _parameter("rot_ki"),
    Command.TRANSKP: _parameter("trans_kp"),
    Command.TRANSKV: _parameter("trans_kv"),
    Command.TRANSKI: _parameter("trans_ki"),
    Command.DRIFTFACTOR: _parameter("drift_factor"),
    Command.TICKSMM: _factor("ticks_mm"),
    Command.REVCOUNT: _factor("rev_count"),
    Command.SONARCYCLE: _sonar_cycle,
    # streams
    Command.ENCODER: _encoder,
    Command.IOREQUEST: _io_request,
    Command.JOYREQUEST: _joystick_request,
    Command.TCM2: lambda robot, value: robot.hardware.compass.switch(value),
    # gripper and servos
    Command.GRIPPER: lambda robot, value: robot.hardware.gripper.obey(value),
    Command.GRIPPERVAL: lambda robot, value: robot.hardware.gripper.set_value(_signed_word(value)),
    Command.GRIPREQUEST: _gripper_request,
    Command.PTUPOS: _servo,
    Command.GYRO: lambda robot, value: robot.hardware.gyro.switch(value == 1 and robot.flash.has_gyro == 1),
    # sounds
    Command.SOUND: lambda robot, value: robot.hardware.sounds.play(value),
    Command.SOUNDTOG: lambda robot, value: robot.hardware.sounds.switch(value != 0),
    Command.PLAYLIST: lambda robot, value: robot.hardware.sounds.ask(value),
    # serial lines
    Command.HOSTBAUD: lambda robot, value: robot.change_baud(value),
    Command.AUX1BAUD: lambda robot, value: robot.hardware.aux[0].set_baud(value),
    Command.AUX2BAUD: lambda robot, value: robot.hardware.aux[1].set_baud(value),
    Command.AUX3BAUD: lambda robot, value: robot.hardware.aux[2].set_baud(value),
    Command.GETAUX: lambda robot, value: robot.hardware.aux[0].request(value),
    Command.GETAUX2: lambda robot, value: robot.hardware.aux[1].request(value),
    Command.GETAUX3: lambda robot, value: robot.hardware.aux[2].request(value),
    # pins and tests
    Command.DIGOUT: lambda robot, value: robot.hardware.pins.set_outputs(value),
    Command.ADSEL: lambda robot, value: robot.hardware.pins.select(value),
    Command.BATTEST: _battest,
}

_TEXT: dict[CommandTable, Callable[[Firmware, bytes], None]] = {
    Command.POLLING: lambda robot, text: robot.hardware.sonar.poll(text),
    Command.TTY2: lambda robot, text: robot.hardware.aux[0].write(text, robot.now),
    Command.TTY3: lambda robot, text: robot.hardware.aux[1].write(text, robot.now),
    Command.TTY4: lambda robot, text: robot.hardware.aux[2].write(text, robot.now),
    Command.SAY: lambda robot, text: robot.hardware.sounds.say(text),
}
