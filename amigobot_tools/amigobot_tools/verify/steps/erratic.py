# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only an Erratic has: frames of its own, PWM, floor sensors, and contradictions between its manual and Player."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from amigobot_driver.protocol import (
    ERRATIC_PACKETS,
    Analog,
    Command,
    ErraticCommand,
    ErraticConfig,
    Motor,
    Packet,
    Parameters,
    ShortMotor,
    checksum,
    checksum_with_count,
    encode_frame,
    parse,
)

from ..client import Stamped
from ..owner import Action, Request
from ..trial import StepFailed, Trial

#: the END byte of the manual's tables
_END = b"\xfe"
#: a duty that is harmless in either unit, and the units of PWM_DUTY with what they call the whole
_DUTY = 40
_UNITS = {"percent": 100, "per mille": 1000}
#: mm/s^2 and deg/s^2
_DECELERATION, _TURN_DECELERATION = 350, 150
#: deg/s and s of a turn of more than half a turn
_TURN, _TURN_TIME = 40, 6.0


def frames(trial: Trial) -> None:
    """The checksum, and commands with an END byte."""
    data = bytes((Command.CONFIG.number,))
    for name, title, frame in (
        ("checksum_data", "CONFIG with a checksum over the data", encode_frame(data, check=checksum)),
        ("checksum_count", "CONFIG with a checksum over count and data", encode_frame(data, check=checksum_with_count)),
        ("end", "CONFIG with an END byte in its frame", encode_frame(data + _END, check=trial.client.dialect.check)),
        ("bare", "CONFIG without count and checksum, with an END byte", b"\xfa\xfb" + data + _END),
    ):
        trial.client.send_bytes(frame, title)
        answered = trial.client.wait_for(Parameters, 1.0) is not None
        trial.fact(f"frames.{name}", title, "answered" if answered else "ignored")


def settings(trial: Trial) -> None:
    """The unit of PWM_DUTY, and what negative accelerations set; CONFIG shows both, and nothing moves."""
    client, before = trial.client, _config(trial)
    _set_duty(trial, _DUTY)
    duty = _duty(_config(trial))
    unit = next((name for name, whole in _UNITS.items() if math.isclose(whole * duty, _DUTY, abs_tol=1.0)), "")
    trial.fact("pwm.unit", "unit of PWM_DUTY", unit or "none: PWM_DUTY does not change the duty cycle")
    if unit:
        _set_duty(trial, round(_UNITS[unit] * _duty(before)))
    client.send(Command.SETA(-_DECELERATION), Command.SETRA(-_TURN_DECELERATION))
    after = _config(trial)
    for key, title, value, told in (
        ("trans", "SETA", after.trans_decel, _DECELERATION),
        ("rot", "SETRA", after.rot_decel, _TURN_DECELERATION),
    ):
        said = "yes" if value == told else "no"
        trial.fact(f"settings.{key}_decel", f"{title} with a negative value sets the deceleration", said)
    client.send(Command.SETA(-before.trans_decel), Command.SETRA(-before.rot_decel))


def _set_duty(trial: Trial, value: int) -> None:
    # As bytes: the dialect would convert the value to the unit of the profile.
    instruction = ErraticCommand.PWM_DUTY(value)
    trial.client.send_bytes(instruction.encode(trial.client.dialect.check), str(instruction))


def _duty(config: ErraticConfig) -> float:
    return config.pwm_max / max(1, config.pwm_wrap)


def _config(trial: Trial) -> ErraticConfig:
    answer = trial.client.config()
    if not isinstance(answer, ErraticConfig):
        raise StepFailed("CONFIG is not answered")
    return answer


def floor_sensors(trial: Trial) -> None:
    """The digital inputs with the wheels off the floor, and on it."""
    client, owner = trial.client, trial.owner
    client.send(Command.IOREQUEST(2))
    for key, action, text in (
        ("lifted", Action.LIFT, "Lift the front of the robot, 30 cm from the floor."),
        ("floor", Action.FLOOR, "Put the robot on the floor."),
    ):
        if not owner.do(Request(action, text)):
            break
        inputs = [packet.digital for packet in _raw(client.wait(1.0)) if isinstance(packet, Analog)]
        bits = f"{inputs[-1]:08b}" if inputs else None
        trial.fact(f"floor.{key}", f"digital inputs, {'lifted' if action is Action.LIFT else 'on the floor'}", bits)
    client.send(Command.IOREQUEST(0))


def heading_unit(trial: Trial) -> None:
    """The unit of the heading, from a turn that the wheels' velocities tell."""
    with trial.motors():
        trial.client.send(Command.RVEL(_TURN))
        packets = trial.client.wait(_TURN_TIME)
        trial.rest()
    log = trial.log(packets)
    angle = sum((b.time - a.time) * b.difference for a, b in pairwise(log.rows)) / trial.half_track
    headings = [packet.heading for packet in _raw(packets) if isinstance(packet, Motor | ShortMotor)]
    steps = [abs((b - a + 2048) % 4096 - 2048) for a, b in pairwise(headings)]
    # A step from 359 to 0 degrees is not counted.
    counted = sum(step for step in steps if step < 180)
    if angle < math.pi / 2:
        raise StepFailed("RVEL does not turn the wheels against each other")
    whole = counted / angle * math.tau
    trial.fact("heading.unit", "unit of the heading", "degrees" if whole < 1000 else "4096 units per turn")
    trial.number("heading.turn", "counts of the heading for a turn", whole, "", compared=False)


def _raw(packets: Sequence[Stamped]) -> list[Packet]:
    """The packets of the Erratic itself, before the dialect translates them."""
    return [parse(stamped.data, ERRATIC_PACKETS) for stamped in packets]
