# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sounds, digital and analog ports, and the first auxiliary serial port."""

from __future__ import annotations

import statistics

from amigobot_driver.protocol import Aux, Command, Io, Playlist, Sip

from ..script import Played
from ..trial import Trial

_FULL_SCALE, _REFERENCE = 1023, 5.0  # counts and V of the converter
_BATTERY_PORT = 5
_TEXT = b"amigobot verify\r"
_LONG = 195  # bytes


def sounds(trial: Trial, played: Played) -> None:
    """The list of sounds, and one of them."""
    named = [entry for entry in played["list"].of(Playlist) if entry.name]
    trial.keep("sounds.list", len(named))
    trial.keep("sounds.first", min((entry.number for entry in named if entry.number >= 40), default="none"))
    trial.keep("sounds.order", "yes" if all(entry.length < 1 << 24 for entry in named) else "no")
    trial.keep("sounds.played", {True: "yes", False: "no"}.get(played.answers["SOUND"]))


def ports(trial: Trial, played: Played) -> None:
    """Analog inputs, and where the standard packet has the selected one; digital outputs."""
    answer = next(iter(played["inputs"].of(Io)), None)
    volts = [sip.volts for sip in played["inputs"].of(Sip)]
    trial.keep("io.analog", None if answer is None else len(answer.analog))
    if answer is not None:
        highest = max(answer.analog, default=0)
        trial.keep("io.values", ", ".join(map(str, answer.analog)))
        trial.keep("io.bits", 10 if highest < 1024 else 11 if highest < 2048 else 12)
        if len(answer.analog) >= _BATTERY_PORT and volts:
            port = answer.analog[_BATTERY_PORT - 1] / _FULL_SCALE * _REFERENCE
            trial.keep("io.battery_divider", port / statistics.fmean(volts))
    if volts:
        trial.keep("battery.volts", statistics.fmean(volts), 0.05)
    if "port1" in played:
        places = [_place(played[f"port{port}"].of(Sip)[-1:], port) for port in (1, 2, 3)]
        trial.keep("io.port", ", ".join(dict.fromkeys(places)))
    if "outputs" in played:
        states = [sip.digital_out for sip in played["outputs"].of(Sip) if sip.digital_out is not None]
        trial.keep("io.outputs", f"{states[-1]:06b}" if states else None)


def _place(sips: list[Sip], port: int) -> str:
    """The byte of the standard packet that has the number of the selected port."""
    return next(
        ("low" if sip.port_low == port else "high" if sip.port_high == port else "none" for sip in sips), "none"
    )


def loop_back(trial: Trial, played: Played) -> None:
    """A text and a long one through the wire."""
    client = trial.client
    sent = client.send(Command.GETAUX(0), Command.TTY2(_TEXT))
    packet = client.ask(Command.GETAUX(len(_TEXT)), Aux, 2.0)
    trial.keep("aux.echo", None if packet is None else "unchanged" if packet.data == _TEXT else "changed")
    trial.keep("aux.time", None if packet is None else client.now() - sent, 0.05)
    text = bytes(range(48, 123)) * 3
    client.send(Command.GETAUX(0), Command.TTY2(text[:100]), Command.TTY2(text[100:_LONG]))
    packet = client.ask(Command.GETAUX(_LONG), Aux, 3.0)
    trial.keep("aux.longest", None if packet is None else len(packet.data))
    client.send(Command.GETAUX(0))
