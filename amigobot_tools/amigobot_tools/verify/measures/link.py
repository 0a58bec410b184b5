# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who the robot is, its settings, its packets and session, its ports and sounds, and how it restarts."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterator
from itertools import accumulate, pairwise

from amigobot_driver.protocol import OVERHEAD, Aux, Encoders, Io, Playlist, Reset, Sip, TuningValues
from amigobot_driver.wording import counted

from ..measured_motion import fit_line
from ..step_data import Figure, Phase, StepData, StepError

_VOLTS_PER_COUNT = 5.0 / 1023  # of the converter
_BATTERY_PORT = 5  # the analog input that measures a share of the battery voltage
_ALIVE = 0.5  # s without a SIP after which a session is closed
_ECHO = b"amigobot_verify"  # the text of the step `loop_back`


def identity(data: StepData) -> Iterator[Figure]:
    """The answer to SYNC2, and what the robot does with SYNC packets in a wrong order; an Erratic has none."""
    reply, erratic = data.robot.identity, data.robot.profile.erratic
    if not erratic:
        kinds = (f"{type(one.packet).__name__} 0x{one.data[0]:02X}" for one in data.phase("wrong_order").packets)
        yield data.figure("sync.wrong_order", ", ".join(dict.fromkeys(kinds)) or "nothing")
    yield data.figure("identity.class", reply.robot_class)
    if not erratic:
        yield data.figure("identity.subclass", reply.subclass.lower())
        yield data.figure("sync.identity", bool(reply.robot_class))


def config(data: StepData) -> Iterator[Figure]:
    """The values of CONFIGpac."""
    answer = data.phase("config").of(TuningValues)[-1]
    for item in dataclasses.fields(answer):
        value = getattr(answer, item.name)
        if item.name == "tail":
            value = type(value).__name__ if value else "nothing"
        elif item.name == "subclass":
            value = value.lower()
        if item.name != "id":
            yield data.figure(f"config.{item.name}", "not sent" if value is None else value)
    yield data.figure("config.firmware", answer.firmware_version or "not reported")


def rate(data: StepData) -> Iterator[Figure]:
    """Rate of the SIPs."""
    times = [at.time for at in data.phase("sips").log]
    if len(times) < 10:
        raise StepError(f"only {counted(len(times), 'standard packet')} in 10 s")
    gaps = [after - before for before, after in pairwise(times)]
    typical = statistics.median(gaps)
    # Lost packets leave gaps: the number of the cycle, not of the packet, counts.
    cycles = accumulate((max(1, round(gap / typical)) for gap in gaps), initial=0)
    fit = fit_line(zip(cycles, times, strict=True))
    yield data.figure("telemetry.period", fit.slope, fit.slope_error)


def ports(data: StepData) -> Iterator[Figure]:
    """Analog inputs, and where the SIP has the selected one."""
    answer = next(iter(data.phase("inputs").of(Io)), None)
    volts = [sip.volts for sip in data.phase("inputs").of(Sip)]
    yield data.figure("io.analog", None if answer is None else len(answer.analog))
    if answer is not None:
        highest = max(answer.analog, default=0)
        yield data.figure("io.bits", 10 if highest < 1024 else 11 if highest < 2048 else 12)
        if len(answer.analog) >= _BATTERY_PORT and volts:
            port = answer.analog[_BATTERY_PORT - 1] * _VOLTS_PER_COUNT
            yield data.figure("io.battery_divider", port / statistics.fmean(volts))
    if "port1" in data.phases:
        places = [_place(data.phase(f"port{port}").of(Sip)[-1], port) for port in (1, 2, 3)]
        yield data.figure("io.port", ", ".join(dict.fromkeys(places)))


def _place(sip: Sip, port: int) -> str:
    """The byte of the SIP that has the number of the selected port."""
    return "low" if sip.port_low == port else "high" if sip.port_high == port else "none"


def reset(data: StepData) -> Iterator[Figure]:
    """RESET: what it sends, how long the controller starts."""
    phase = data.phase("reset")
    yield data.figure("reset.packet", bool(phase.of(Reset)))
    for stamped in phase.packets:
        if stamped.data[:1] == b"\0":  # the answer to SYNC0
            yield data.figure("reset.time", stamped.time - phase.sent, 0.01)
            break


def config_answer(phase: Phase) -> str:
    """Whether CONFIG is answered."""
    return "answered" if phase.of(TuningValues) else "ignored"


def sip_length(phase: Phase) -> int:
    """Length of the SIP in bytes, without its sonar readings."""
    sips = [stamped for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    packet = phase.of(Sip)[-1]
    # The sonars of an Erratic have a packet of their own.
    return len(sips[-1].data) + OVERHEAD - 3 * len(packet.sonar) * (type(packet) is Sip)


def last_config_field(phase: Phase) -> str | None:
    """The last field of CONFIG: its texts have any length, so the length says nothing."""
    for config in phase.of(TuningValues)[:1]:
        return [item.name for item in dataclasses.fields(config) if getattr(config, item.name) is not None][-1]
    return None


def encoders_length(phase: Phase) -> int | str:
    """Length of the answer to ENCODER in bytes."""
    sizes = (len(stamped.data) for stamped in phase.packets if isinstance(stamped.packet, Encoders))
    return next((size + OVERHEAD for size in sizes), "no answer")


def stream(phase: Phase) -> str:
    """Whether ENCODER packets come again and again."""
    return "stream" if len(phase.of(Encoders)) > 2 else "one"


def session(phase: Phase) -> str:
    """Whether the session is open at the end."""
    times = [stamped.time for stamped in phase.packets if isinstance(stamped.packet, Sip)]
    return "open" if times and phase.ended - times[-1] < _ALIVE else "closed"


def motors(phase: Phase) -> str | None:
    """Whether the motors are on."""
    sip = phase.of(Sip)[-1]
    return None if sip.UNREPORTED & Sip.MOTORS else "on" if sip.motors_enabled else "off"


def sonars(phase: Phase) -> str:
    """Whether the sonars are on."""
    return "on" if phase.of(Sip)[-1].sonar_enabled else "off"


def outputs(phase: Phase) -> str | None:
    """The digital outputs."""
    states = [sip.digital_out for sip in phase.of(Sip) if sip.digital_out is not None]
    return f"{states[-1]:06b}" if states else None


def first_sound(phase: Phase) -> int | str:
    """Number of the first sound of the user."""
    numbers = [entry.number for entry in phase.of(Playlist) if entry.name and entry.number >= 40]
    return min(numbers, default="none")


def order_of_sounds(phase: Phase) -> bool:
    """Whether offset and length of the sounds make sense as little-endian numbers."""
    return all(entry.length < 1 << 24 for entry in phase.of(Playlist) if entry.name)


def echo(phase: Phase) -> str | None:
    """What became of the text that was sent through the wire."""
    return next(("unchanged" if packet.data == _ECHO else "changed" for packet in phase.of(Aux)), None)


def aux_length(phase: Phase) -> int | None:
    """Length of the answer to GETAUX in bytes."""
    return next((len(packet.data) for packet in phase.of(Aux)), None)
