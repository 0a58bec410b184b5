# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who the robot is, how it synchronizes, and which packets it sends."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

from amigobot_driver.profiles import choose_profile
from amigobot_driver.protocol import (
    OVERHEAD,
    Command,
    Encoders,
    Gyro,
    Io,
    Packet,
    Parameters,
    Playlist,
    Sip,
    encode_frame,
)
from amigobot_driver.wording import counted

from ..client import Stamped
from ..figures import fit_line
from ..trial import StepFailed, Trial

#: fields of CONFIGpac that are a robot's own
_OWN = {"name", "serial", "subtype", "tail"}
#: s of packets for their rate
_RATE_TIME = 10.0
#: share by which the clocks of robot and computer may differ
_CLOCK = 1e-4
#: a frame of this count byte, and one above it (docs/protocol.md E-03)
_LONGEST = 200


def identity(trial: Trial) -> None:
    """The answer to SYNC2, and what the robot does with SYNC packets in a wrong order; an Erratic has none."""
    client = trial.client
    client.close()
    if not client.is_erratic:
        client.wait(0.5)
        client.send_sync(1)
        first = client.wait(0.5)
        trial.fact("sync.wrong_order", "answer to SYNC1 without SYNC0", _kinds(first))
    reply = client.connect()
    trial.fact("identity.name", "name", reply.name, compared=False)
    trial.fact("identity.class", "class", reply.robot_class)
    trial.fact("identity.subclass", "subclass", reply.subclass.lower(), compared=not client.is_erratic)
    profile, _ = choose_profile(reply.robot_class, reply.subclass)
    trial.fact("identity.profile", "profile that the driver chooses", profile.name)
    if not client.is_erratic:
        trial.fact("sync.identity", "SYNC2 is answered with the identity", "yes" if reply.robot_class else "no")
    client.open()


def _kinds(packets: list[Stamped]) -> str:
    names = [_name(stamped) for stamped in packets]
    return ", ".join(dict.fromkeys(names)) or "nothing"


def _name(stamped: Stamped) -> str:
    packet = stamped.packet
    return f"{type(packet).__name__} 0x{stamped.data[0]:02X}" if stamped.data else "empty"


def packet_kinds(trial: Trial) -> None:
    """Every kind of packet that the firmware sends, and its length."""
    client = trial.client
    requests: list[tuple[str, type[Packet], Command, int | None]] = [
        ("config", Parameters, Command.CONFIG, None),
        ("encoders", Encoders, Command.ENCODER, 1),
        ("io", Io, Command.IOREQUEST, 1),
        ("gyro", Gyro, Command.GYRO, 1),
        ("playlist", Playlist, Command.PLAYLIST, 0),
    ]
    packets = client.wait(1.0)
    sips = [stamped for stamped in packets if isinstance(stamped.packet, Sip)]
    if not sips:
        raise StepFailed("no standard packet within 1 s")
    trial.fact("packets.sip", "length of the standard packet without sonar readings, bytes", _fixed_length(sips[-1]))
    for name, kind, command, argument in requests:
        if not client.can_send(command):
            continue
        client.send(command(argument))
        packets = client.wait(1.2)
        found = [stamped for stamped in packets if isinstance(stamped.packet, kind)]
        if name in ("encoders", "io", "gyro"):
            client.send(command(0))
        length = len(found[0].data) + OVERHEAD if found else None
        if name == "config" and found:
            # Its texts have any length, so the last field is compared, not the length.
            packet = found[0].packet
            assert dataclasses.is_dataclass(packet)
            sent = [item.name for item in dataclasses.fields(packet) if getattr(packet, item.name) is not None]
            trial.fact("packets.config", "last field of CONFIGpac", sent[-1])
        elif name == "gyro":
            trial.fact("packets.gyro", "GYROpac is sent", "yes" if found else "no")
        else:
            trial.fact(f"packets.{name}", f"length of the answer to {command.name}, bytes", length or "no answer")
        if name == "encoders":
            trial.fact("encoder.one", "ENCODER 1 sends one packet or a stream", "stream" if len(found) > 2 else "one")
    others = {
        stamped.data[0] for stamped in client.packets if type(stamped.packet).__name__ in ("Unknown", "Malformed")
    }
    trial.fact(
        "packets.unknown", "packets that no manual describes", ", ".join(f"0x{i:02X}" for i in sorted(others)) or "none"
    )


def _fixed_length(stamped: Stamped) -> int:
    sip = stamped.packet
    assert isinstance(sip, Sip)
    # The sonars of an Erratic have a packet of their own.
    return len(stamped.data) + OVERHEAD - 3 * len(sip.sonar) * (type(sip) is Sip)


def config(trial: Trial) -> None:
    """The values of CONFIGpac."""
    answer = trial.client.config()
    if answer is None:
        raise StepFailed("CONFIG is not answered")
    trial.config = answer
    assert dataclasses.is_dataclass(answer)
    for item in dataclasses.fields(answer):
        value = getattr(answer, item.name)
        if item.name == "tail":
            trial.fact("config.tail", "end of CONFIGpac", type(value).__name__ if value else "nothing")
        elif item.name != "id":
            shown = "not sent" if value is None else value.lower() if item.name == "subclass" else value
            trial.fact(f"config.{item.name}", item.name, shown, compared=item.name not in _OWN)
    trial.fact("config.firmware", "firmware version", answer.firmware_version or "not reported")


def rate(trial: Trial) -> None:
    """Rate of the standard packets."""
    trial.client.wait(0.5)  # what the answers to other steps have delayed
    packets = trial.client.wait(_RATE_TIME)
    times = [stamped.time for stamped in packets if isinstance(stamped.packet, Sip)]
    if len(times) < 10:
        raise StepFailed(f"only {counted(len(times), 'standard packet')} in {_RATE_TIME:g} s")
    gaps = sorted(b - a for a, b in pairwise(times))
    typical = gaps[len(gaps) // 2]
    # Lost packets leave gaps: the number of the cycle, not of the packet, counts.
    numbers, cycle = [0], 0
    for a, b in pairwise(times):
        cycle += max(1, round((b - a) / typical))
        numbers.append(cycle)
    fit = fit_line(numbers, times)
    assert fit is not None
    error = math.hypot(fit.slope_error, _CLOCK * fit.slope)
    title = "time between standard packets"
    trial.number("telemetry.period", title, fit.slope, "s", error, parameter="physics.cycle_ratio")
    late = [time - fit.offset - number * fit.slope for number, time in zip(numbers, times, strict=True)]
    trial.number("telemetry.jitter", "spread of their times", max(late) - min(late), "s", compared=False)
    trial.number("telemetry.lost", "lost of them", float(cycle + 1 - len(times)), "", compared=False)
    points = [(time - times[0], round(1000 * delay, 3)) for time, delay in zip(times, late, strict=True)]
    trial.plot("telemetry", "Standard packets", "time, s", "late, ms", points)


def frames(trial: Trial) -> None:
    """Frames that the manuals describe differently: length, checksum, arguments."""
    client, check = trial.client, trial.client.dialect.check

    def answered(name: str, title: str, frame: bytes) -> None:
        client.send_bytes(frame, title)
        trial.fact(f"frames.{name}", title, "answered" if client.wait_for(Parameters, 1.0) else "ignored")

    number = bytes((Command.CONFIG.number,))
    answered("argument", "CONFIG with a number", encode_frame(number + b"\x3b\x01\x00", check=check))
    answered("no_argument", "CONFIG without argument", encode_frame(number, check=check))
    answered(
        "longest",
        f"CONFIG in a frame with a count of {_LONGEST}",
        encode_frame(number.ljust(_LONGEST - 2, b"\0"), check=check),
    )
    # encode_frame refuses to build this one.
    data = number.ljust(_LONGEST - 1, b"\0")
    frame = b"\xfa\xfb" + bytes((_LONGEST + 1,)) + data + check(data).to_bytes(2, "big")
    answered("too_long", f"CONFIG in a frame with a count of {_LONGEST + 1}", frame)
    wrong = bytearray(encode_frame(number, check=check))
    wrong[-1] ^= 1
    answered("checksum", "CONFIG with a wrong checksum", bytes(wrong))
    client.wait(0.3)
