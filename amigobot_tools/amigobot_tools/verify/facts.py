# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the packets of one list show, as a text: the key `fact` of a figure in steps.yaml."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Mapping

from amigobot_driver.protocol import (
    ERRATIC_PACKETS,
    OVERHEAD,
    Analog,
    Aux,
    Encoders,
    Parameters,
    Playlist,
    Sip,
    parse,
)

from .table import Step
from .trial import Phase, Played, Trial

_ALIVE = 0.5  # s without a standard packet after which a session is closed
_ECHO = b"amigobot_verify"  # the text of the step `loop_back`


def keep_facts(trial: Trial, step: Step, played: Played) -> None:
    """Keep the facts of a step; a fact of a list that the robot has no command for is left out."""
    for key, row in step.figures.items():
        name = row.of or key
        if row.fact == "answer":
            trial.keep(key, {True: "yes", False: "no"}.get(played.answers[name]))
        elif row.fact and name in played:
            trial.keep(key, _FACTS[row.fact](played[name]))


def _sip_length(phase: Phase) -> int:
    sips = [stamped for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    packet = phase.of(Sip)[-1]
    # The sonars of an Erratic have a packet of their own.
    return len(sips[-1].data) + OVERHEAD - 3 * len(packet.sonar) * (type(packet) is Sip)


def _last_field(phase: Phase) -> str | None:
    """The last field of CONFIG: its texts have any length, so the length says nothing."""
    for config in phase.of(Parameters)[:1]:
        return [item.name for item in dataclasses.fields(config) if getattr(config, item.name) is not None][-1]
    return None


def _encoders_length(phase: Phase) -> int | str:
    sizes = (len(stamped.data) for stamped in phase.packets if isinstance(stamped.packet, Encoders))
    return next((size + OVERHEAD for size in sizes), "no answer")


def _session(phase: Phase) -> str:
    times = [stamped.time for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    return "open" if times and phase.ended - times[-1] < _ALIVE else "closed"


def _outputs(phase: Phase) -> str | None:
    states = [sip.digital_out for sip in phase.of(Sip) if sip.digital_out is not None]
    return f"{states[-1]:06b}" if states else None


def _first_sound(phase: Phase) -> int | str:
    numbers = [entry.number for entry in phase.of(Playlist) if entry.name and entry.number >= 40]
    return min(numbers, default="none")


def _order_of_sounds(phase: Phase) -> str:
    return "yes" if all(entry.length < 1 << 24 for entry in phase.of(Playlist) if entry.name) else "no"


def _echo(phase: Phase) -> str | None:
    return next(("unchanged" if packet.data == _ECHO else "changed" for packet in phase.of(Aux)), None)


def _aux_length(phase: Phase) -> int | None:
    return next((len(packet.data) for packet in phase.of(Aux)), None)


def _signs(left: float, right: float) -> str:
    return ", ".join("+" if value > 0 else "-" if value < 0 else "0" for value in (left, right))


def _encoder_signs(phase: Phase) -> str | None:
    left, right = phase.log[-1].ticks
    return None if math.isnan(left) else _signs(left, right)


def _position_bits(phase: Phase) -> int | str | None:
    if phase.trial.profile.erratic:  # 24 bits
        return None
    x = phase.of(Sip)[-1].x
    return 16 if x >= 0x8000 else 15 if x >= 0x4000 else "?"


def _motors(phase: Phase) -> str | None:
    sip = phase.of(Sip)[-1]
    return None if sip.UNREPORTED & Sip.MOTORS else "on" if sip.motors_enabled else "off"


def _target(phase: Phase) -> str:
    """Target of the heading servo, rounded to 10 deg: CONTROL of the standard packet shows it."""
    unit = phase.trial.found("scale.heading", phase.trial.profile.units.angle)
    return f"{10 * round(math.degrees(phase.of(Sip)[-1].control * unit) / 10)} deg"


def _floor_sensors(phase: Phase) -> str | None:
    packets = [parse(stamped.data, ERRATIC_PACKETS) for stamped in phase.packets]
    inputs = [packet.digital for packet in packets if isinstance(packet, Analog)]
    return f"{inputs[-1]:08b}" if inputs else None


def _range(phase: Phase) -> str | None:
    """Median range of sonar 0, rounded to 10 cm."""
    sonar, unit = phase.trial.profile.sonar, phase.trial.profile.units.range
    ranges = [reading.range * unit for sip in phase.of(Sip) for reading in sip.sonar if reading.number == 0]
    if not ranges:
        return None
    value = statistics.median(ranges)
    return "no echo" if value >= sonar.max_range else f"{10 * round(value * 10)} cm"


_FACTS: Mapping[str, Callable[[Phase], object]] = {
    "answer to CONFIG": lambda phase: "answered" if phase.of(Parameters) else "ignored",
    "digital inputs of an Erratic": _floor_sensors,
    "echo": _echo,
    "first user sound": _first_sound,
    "heading": lambda phase: "grows" if phase.log[-1].heading > 0 else "falls",
    "bits of X": _position_bits,
    "last field of CONFIG": _last_field,
    "length of ENCODERpac": _encoders_length,
    "length of SERAUX": _aux_length,
    "length of SIP": _sip_length,
    "motors": _motors,
    "order of sounds": _order_of_sounds,
    "outputs": _outputs,
    "range of sonar 0": _range,
    "session": _session,
    "signs of the encoders": _encoder_signs,
    "signs of the velocities": lambda phase: _signs(phase.log[-1].left, phase.log[-1].right),
    "sonars": lambda phase: "on" if phase.of(Sip)[-1].sonar_enabled else "off",
    "stream": lambda phase: "stream" if len(phase.of(Encoders)) > 2 else "one",
    "target of the heading": _target,
}
