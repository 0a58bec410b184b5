# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the packets of one list show, as a text: the key `fact` of a figure in steps.yaml."""

from __future__ import annotations

import dataclasses
import math
import statistics

from amigobot_driver.protocol import ERRATIC_PACKETS, OVERHEAD, Analog, Aux, Encoders, Parameters, Playlist, Sip, parse

from .script import Phase

_ALIVE = 0.5  # s without a standard packet after which a session is closed
_ECHO = b"amigobot_verify"  # the text of the step `loop_back`


def config_answer(phase: Phase) -> str:
    """Whether CONFIG is answered."""
    return "answered" if phase.of(Parameters) else "ignored"


def sip_length(phase: Phase) -> int:
    """Length of the standard packet in bytes, without its sonar readings."""
    sips = [stamped for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    packet = phase.of(Sip)[-1]
    # The sonars of an Erratic have a packet of their own.
    return len(sips[-1].data) + OVERHEAD - 3 * len(packet.sonar) * (type(packet) is Sip)


def last_config_field(phase: Phase) -> str | None:
    """The last field of CONFIG: its texts have any length, so the length says nothing."""
    for config in phase.of(Parameters)[:1]:
        return [item.name for item in dataclasses.fields(config) if getattr(config, item.name) is not None][-1]
    return None


def encoders_length(phase: Phase) -> int | str:
    """Length of the answer to ENCODER in bytes."""
    sizes = (len(stamped.data) for stamped in phase.packets if isinstance(stamped.packet, Encoders))
    return next((size + OVERHEAD for size in sizes), "no answer")


def session(phase: Phase) -> str:
    """Whether the session is open at the end."""
    times = [stamped.time for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    return "open" if times and phase.ended - times[-1] < _ALIVE else "closed"


def outputs(phase: Phase) -> str | None:
    """The digital outputs."""
    states = [sip.digital_out for sip in phase.of(Sip) if sip.digital_out is not None]
    return f"{states[-1]:06b}" if states else None


def first_sound(phase: Phase) -> int | str:
    """Number of the first sound of the user."""
    numbers = [entry.number for entry in phase.of(Playlist) if entry.name and entry.number >= 40]
    return min(numbers, default="none")


def order_of_sounds(phase: Phase) -> str:
    """Whether offset and length of the sounds make sense as little-endian numbers."""
    return "yes" if all(entry.length < 1 << 24 for entry in phase.of(Playlist) if entry.name) else "no"


def echo(phase: Phase) -> str | None:
    """What became of the text that was sent through the wire."""
    return next(("unchanged" if packet.data == _ECHO else "changed" for packet in phase.of(Aux)), None)


def aux_length(phase: Phase) -> int | None:
    """Length of the answer to GETAUX in bytes."""
    return next((len(packet.data) for packet in phase.of(Aux)), None)


def _signs(left: float, right: float) -> str:
    return ", ".join("+" if value > 0 else "-" if value < 0 else "0" for value in (left, right))


def encoder_signs(phase: Phase) -> str | None:
    """In which directions the encoders count."""
    left, right = phase.log[-1].ticks
    return None if math.isnan(left) else _signs(left, right)


def position_bits(phase: Phase) -> int | str | None:
    """Bits of X, by its value behind the origin."""
    if phase.trial.profile.erratic:  # 24 bits
        return None
    x = phase.of(Sip)[-1].x
    return 16 if x >= 0x8000 else 15 if x >= 0x4000 else "?"


def motors(phase: Phase) -> str | None:
    """Whether the motors are on."""
    sip = phase.of(Sip)[-1]
    return None if sip.UNREPORTED & Sip.MOTORS else "on" if sip.motors_enabled else "off"


def heading_target(phase: Phase) -> str:
    """Target of the heading servo, rounded to 10 deg: CONTROL of the standard packet shows it."""
    unit = phase.trial.found("scale.heading", phase.trial.profile.units.angle)
    return f"{10 * round(math.degrees(phase.of(Sip)[-1].control * unit) / 10)} deg"


def floor_sensors(phase: Phase) -> str | None:
    """The digital inputs of an Erratic."""
    packets = [parse(stamped.data, ERRATIC_PACKETS) for stamped in phase.packets]
    inputs = [packet.digital for packet in packets if isinstance(packet, Analog)]
    return f"{inputs[-1]:08b}" if inputs else None


def range_of_first_sonar(phase: Phase) -> str | None:
    """Median range of sonar 0, rounded to 10 cm."""
    sonar, unit = phase.trial.profile.sonar, phase.trial.profile.units.range
    ranges = [reading.range * unit for sip in phase.of(Sip) for reading in sip.sonar if reading.number == 0]
    if not ranges:
        return None
    value = statistics.median(ranges)
    return "no echo" if value >= sonar.max_range else f"{10 * round(value * 10)} cm"


def heading(phase: Phase) -> str:
    """How the heading changes."""
    return "grows" if phase.log[-1].heading > 0 else "falls"


def velocity_signs(phase: Phase) -> str:
    """The directions of the wheels, by their velocities."""
    return _signs(phase.log[-1].left, phase.log[-1].right)


def sonars(phase: Phase) -> str:
    """Whether the sonars are on."""
    return "on" if phase.of(Sip)[-1].sonar_enabled else "off"


def stream(phase: Phase) -> str:
    """Whether ENCODER packets come again and again."""
    return "stream" if len(phase.of(Encoders)) > 2 else "one"
