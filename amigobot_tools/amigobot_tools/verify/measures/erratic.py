# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only an Erratic has: contradictions between its manual and Player."""

from __future__ import annotations

import math

from amigobot_driver.protocol import ERRATIC_PACKETS, Analog, Command, ErraticCommand, ErraticConfig, parse

from ..script import Phase, StepError
from ..trial import Trial

_DUTY = 40  # harmless in either unit
_UNITS = {"percent": 100, "per mille": 1000}  # of PWM_DUTY: what they call the whole
_DECELERATIONS = {"trans": (Command.SETA, 350), "rot": (Command.SETRA, 150)}  # mm/s^2 and deg/s^2


def settings(trial: Trial) -> None:
    """The unit of PWM_DUTY, and what negative accelerations set; CONFIG shows both, and nothing moves."""
    before = _config(trial)
    _set_duty(trial, _DUTY)
    duty = _duty(_config(trial))
    unit = next((name for name, whole in _UNITS.items() if math.isclose(whole * duty, _DUTY, abs_tol=1.0)), "")
    trial.keep("pwm.unit", unit or "none: PWM_DUTY does not change the duty cycle")
    if unit:
        _set_duty(trial, round(_UNITS[unit] * _duty(before)))
    trial.client.send(*(command(-value) for command, value in _DECELERATIONS.values()))
    after = _config(trial)
    for name, (command, value) in _DECELERATIONS.items():
        trial.keep(f"settings.{name}_decel", "yes" if getattr(after, f"{name}_decel") == value else "no")
        trial.client.send(command(-getattr(before, f"{name}_decel")))


def _set_duty(trial: Trial, value: int) -> None:
    # As bytes: the dialect would convert the value to the unit of the profile.
    instruction = ErraticCommand.PWM_DUTY(value)
    trial.client.send_bytes(instruction.encode(trial.client.dialect.check))


def _duty(config: ErraticConfig) -> float:
    return config.pwm_max / max(1, config.pwm_wrap)


def _config(trial: Trial) -> ErraticConfig:
    answer = trial.client.config()
    if not isinstance(answer, ErraticConfig):
        raise StepError("CONFIG is not answered")
    return answer


def floor_sensors(phase: Phase) -> str | None:
    """The digital inputs of an Erratic."""
    packets = [parse(stamped.data, ERRATIC_PACKETS) for stamped in phase.packets]
    inputs = [packet.digital for packet in packets if isinstance(packet, Analog)]
    return f"{inputs[-1]:08b}" if inputs else None
