# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only an Erratic has: contradictions between its manual and Player."""

from __future__ import annotations

import math
from collections.abc import Iterator

from amigobot_driver.protocol import ERRATIC_PACKETS, Analog, ErraticConfig, parse

from ..step_data import Figure, Phase, StepData

_DUTY = 40  # that the script commands; harmless in either unit
_UNITS = {"percent": 100, "per mille": 1000}  # of PWM_DUTY: what they call the whole
_DECELERATIONS = {"trans": 350, "rot": 150}  # mm/s^2 and deg/s^2 that the script commands


def settings(data: StepData) -> Iterator[Figure]:
    """The unit of PWM_DUTY, and what negative accelerations set; CONFIG shows both, and nothing moves."""
    duty, after = (data.phase(name).of(ErraticConfig)[-1] for name in ("duty", "after"))
    share = duty.pwm_max / max(1, duty.pwm_wrap)
    units = [name for name, whole in _UNITS.items() if math.isclose(whole * share, _DUTY, abs_tol=1.0)]
    yield data.figure("pwm.unit", next(iter(units), "none: PWM_DUTY does not change the duty cycle"))
    for name, value in _DECELERATIONS.items():
        yield data.figure(f"settings.{name}_decel", "yes" if getattr(after, f"{name}_decel") == value else "no")


def floor_sensors(phase: Phase) -> str | None:
    """The digital inputs of an Erratic."""
    packets = [parse(stamped.data, ERRATIC_PACKETS) for stamped in phase.packets]
    inputs = [packet.digital for packet in packets if isinstance(packet, Analog)]
    return f"{inputs[-1]:08b}" if inputs else None
