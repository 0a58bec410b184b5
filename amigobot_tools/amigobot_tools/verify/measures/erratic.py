# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only an Erratic has: contradictions between its manual and Player."""

from __future__ import annotations

import math
from collections.abc import Iterator

from amigobot_driver.protocol import ERRATIC_PACKETS, Analog, ErraticConfig, parse

from ..step_data import Figure, Phase, StepData

_UNITS = {"percent": 100, "per mille": 1000}  # of PWM_DUTY: what they call the whole
_COMMANDS = {"trans_decel": "SETA", "rot_decel": "SETRA"}  # that set the decelerations


def settings(data: StepData) -> Iterator[Figure]:
    """The unit of PWM_DUTY, and what negative accelerations set; CONFIG shows both, and nothing moves."""
    duty, after = (data.phase(name).of(ErraticConfig)[-1] for name in ("duty", "after"))
    (commanded,) = data.step.arguments("pwm_duty")
    share = duty.pwm_max / max(1, duty.pwm_wrap)
    units = [name for name, whole in _UNITS.items() if math.isclose(whole * share, commanded, abs_tol=1.0)]
    yield data.figure("pwm.unit", next(iter(units), "none: PWM_DUTY does not change the duty cycle"))
    for name, command in _COMMANDS.items():
        (value,) = data.step.arguments(command)
        yield data.figure(f"settings.{name}", getattr(after, name) == -value)


def floor_sensors(phase: Phase) -> str | None:
    """The digital inputs of an Erratic."""
    packets = [parse(stamped.data, ERRATIC_PACKETS) for stamped in phase.packets]
    inputs = [packet.digital for packet in packets if isinstance(packet, Analog)]
    return f"{inputs[-1]:08b}" if inputs else None
