# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who the robot is, how it synchronizes, and which packets it sends."""

from __future__ import annotations

import dataclasses

import numpy as np

from amigobot_driver.profiles import choose_profile
from amigobot_driver.protocol import (
    OVERHEAD,
    Command,
    Encoders,
    Gyro,
    Io,
    Malformed,
    Packet,
    Parameters,
    Playlist,
    Sip,
    Unknown,
    Unlisted,
    encode_frame,
)
from amigobot_driver.wording import counted

from ..client import Stamped
from ..motion import fit_line
from ..script import Played
from ..trial import StepError, Trial

_LONGEST = 200  # count byte of the longest frame (docs/protocol E-03)


def identity(trial: Trial, played: Played) -> None:
    """The answer to SYNC2, and what the robot does with SYNC packets in a wrong order; an Erratic has none."""
    client, erratic = trial.client, trial.client.is_erratic
    client.close()
    if not erratic:
        client.wait(0.5)
        client.send_bytes(Unlisted(1).encode(client.dialect.check), "SYNC1")
        kinds = dict.fromkeys(_kind(stamped) for stamped in client.wait(0.5))
        trial.keep("sync.wrong_order", ", ".join(kinds) or "nothing")
    reply = client.connect()
    trial.keep("identity.name", reply.name)
    trial.keep("identity.class", reply.robot_class)
    trial.keep("identity.profile", choose_profile(reply.robot_class, reply.subclass)[0].name)
    if not erratic:
        trial.keep("identity.subclass", reply.subclass.lower())
        trial.keep("sync.identity", "yes" if reply.robot_class else "no")


def _kind(stamped: Stamped) -> str:
    return f"{type(stamped.packet).__name__} 0x{stamped.data[0]:02X}"


def packets(trial: Trial, played: Played) -> None:
    """Every kind of packet that the firmware sends, and its length."""
    sips = [stamped for stamped in played["sip"].packets if isinstance(stamped.packet, Sip)]
    if not sips:
        raise StepError("no standard packet within 1 s")
    last = sips[-1].packet
    assert isinstance(last, Sip)
    # The sonars of an Erratic have a packet of their own.
    trial.keep("packets.sip", len(sips[-1].data) + OVERHEAD - 3 * len(last.sonar) * (type(last) is Sip))
    kinds: dict[str, type[Packet]] = {"encoders": Encoders, "io": Io, "playlist": Playlist}
    for name, kind in kinds.items():
        if name in played:
            sizes = [len(stamped.data) for stamped in played[name].packets if isinstance(stamped.packet, kind)]
            trial.keep(f"packets.{name}", sizes[0] + OVERHEAD if sizes else "no answer")
    if configs := played["config"].of(Parameters):
        # Its texts have any length, so the last field is compared, not the length.
        present = [item.name for item in dataclasses.fields(configs[0]) if getattr(configs[0], item.name) is not None]
        trial.keep("packets.config", present[-1])
    if "encoders" in played:
        trial.keep("encoder.one", "stream" if len(played["encoders"].of(Encoders)) > 2 else "one")
    if "gyro" in played:
        trial.keep("packets.gyro", "yes" if played["gyro"].of(Gyro) else "no")
    others = {s.data[0] for s in trial.client.packets if isinstance(s.packet, Unknown | Malformed)}
    trial.keep("packets.unknown", ", ".join(f"0x{number:02X}" for number in sorted(others)) or "none")


def config(trial: Trial, played: Played) -> None:
    """The values of CONFIGpac."""
    answer = trial.client.config()
    if answer is None:
        raise StepError("CONFIG is not answered")
    trial.config = answer
    for item in dataclasses.fields(answer):
        value = getattr(answer, item.name)
        if item.name == "tail":
            trial.keep("config.tail", type(value).__name__ if value else "nothing")
        elif item.name != "id":
            trial.keep(f"config.{item.name}", _setting(item.name, value))
    trial.keep("config.firmware", answer.firmware_version or "not reported")


def _setting(name: str, value: object) -> object:
    if value is None:
        return "not sent"
    return str(value).lower() if name == "subclass" else value


def rate(trial: Trial, played: Played) -> None:
    """Rate of the standard packets."""
    times = played["sips"].log.time
    if len(times) < 10:
        raise StepError(f"only {counted(len(times), 'standard packet')} in 10 s")
    gaps = np.diff(times)
    # Lost packets leave gaps: the number of the cycle, not of the packet, counts.
    cycles = np.cumsum([0, *np.maximum(1, np.round(gaps / np.median(gaps)))])
    fit = fit_line(cycles, times)
    assert fit is not None
    late = times - fit.offset - cycles * fit.slope
    trial.keep("telemetry.period", fit.slope, fit.slope_error)
    trial.keep("telemetry.jitter", float(np.ptp(late)))
    trial.keep("telemetry.lost", float(cycles[-1] + 1 - len(times)))


def frames(trial: Trial, played: Played) -> None:
    """Frames that the manuals describe differently: length, checksum, arguments."""
    check = trial.client.dialect.check
    number = bytes((Command.CONFIG.number,))
    # encode_frame refuses to build a longer one.
    data = number.ljust(_LONGEST - 1, b"\0")
    too_long = b"\xfa\xfb" + bytes((_LONGEST + 1,)) + data + check(data).to_bytes(2, "big")
    plain = encode_frame(number, check=check)
    send_frames(
        trial,
        {
            "frames.argument": encode_frame(number + b"\x3b\x01\x00", check=check),
            "frames.no_argument": plain,
            "frames.longest": encode_frame(number.ljust(_LONGEST - 2, b"\0"), check=check),
            "frames.too_long": too_long,
            "frames.checksum": plain[:-1] + bytes((plain[-1] ^ 1,)),
        },
    )
    trial.client.wait(0.3)


def send_frames(trial: Trial, questions: dict[str, bytes]) -> None:
    """Send each frame, a kind of CONFIG, and keep whether it is answered as the figure of its key."""
    assert trial.step is not None
    for key, frame in questions.items():
        trial.client.send_bytes(frame, trial.step.figures[key].title)
        trial.keep(key, "answered" if trial.client.wait_for(Parameters, 1.0) else "ignored")
