# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sounds, digital and analog ports, and the first auxiliary serial port."""

from __future__ import annotations

import statistics

from amigobot_driver.protocol import Aux, Command, Io, Playlist, Sip

from ..owner import Action, Look, Request
from ..trial import Trial

#: counts and V of the converter at full scale
_FULL_SCALE, _REFERENCE = 1023, 5.0
_BATTERY_PORT = 5
_TEXT = b"amigobot verify\r"


def sounds(trial: Trial) -> None:
    """The list of sounds, and one of them."""
    client = trial.client
    if not trial.knows(Command.SOUND):
        trial.fact("sounds.list", "sounds in the list", "this firmware has none")
        return
    client.send(Command.SOUNDTOG(1), Command.PLAYLIST(0))
    entries = [s.packet for s in client.wait(12.0) if isinstance(s.packet, Playlist)]
    named = [entry for entry in entries if entry.name]
    trial.fact("sounds.list", "entries of the list with a name", len(named), compared=False)
    numbers = [entry.number for entry in named if entry.number >= 40]
    trial.fact("sounds.first", "first user sound", min(numbers) if numbers else "none", compared=False)
    small = all(entry.length < 1 << 24 for entry in named)
    trial.fact("sounds.order", "offset and length are little-endian", "yes" if small else "no")
    client.send(Command.SOUND(min((e.number for e in named if e.length), default=1)))
    client.wait(1.5)
    played = trial.owner.look(Look.SOUND, "Did the robot play a sound?")
    trial.fact("sounds.played", "SOUND plays", None if played is None else "yes" if played else "no")


def ports(trial: Trial) -> None:
    """Analog inputs, and where the standard packet has the selected one; digital outputs."""
    client = trial.client
    packet = client.ask(Command.IOREQUEST(1), Io, 1.5)
    trial.fact("io.analog", "analog inputs in IOpac", None if packet is None else len(packet.analog))
    packets = client.wait(1.5)
    volts = [s.packet.volts for s in packets if isinstance(s.packet, Sip)]
    if packet is not None:
        trial.fact("io.values", "analog counts", ", ".join(map(str, packet.analog)), compared=False)
        highest = max(packet.analog, default=0)
        trial.fact("io.bits", "bits of an analog value", 10 if highest < 1024 else 11 if highest < 2048 else 12)
        if len(packet.analog) >= _BATTERY_PORT and volts:
            share = packet.analog[_BATTERY_PORT - 1] / _FULL_SCALE * _REFERENCE / statistics.fmean(volts)
            trial.number(
                "io.battery_divider",
                "voltage at AN5 over the battery's",
                share,
                "",
                share * 0.006,
                parameter="physics.battery_divider",
            )
    if volts:
        trial.number("battery.volts", "battery", statistics.fmean(volts), "V", 0.05, compared=False)
    if client.can_send(Command.ADSEL):
        _selected_port(trial)
    if client.can_send(Command.DIGOUT):
        _outputs(trial)
    client.send(Command.IOREQUEST(0))


def _selected_port(trial: Trial) -> None:
    client, places = trial.client, []
    for port in (1, 2, 3):
        client.send(Command.ADSEL(port))
        client.wait(0.3)
        if (sip := client.wait_for(Sip, 0.5)) is not None:
            places.append("low" if sip.port_low == port else "high" if sip.port_high == port else "none")
    trial.fact("io.port", "byte of the standard packet that has the selected port", ", ".join(dict.fromkeys(places)))
    client.send(Command.ADSEL(1))


def _outputs(trial: Trial) -> None:
    client = trial.client
    client.send(Command.DIGOUT(0xFF15))
    client.wait(0.3)
    sip = client.wait_for(Sip, 0.5)
    outputs = None if sip is None or sip.digital_out is None else f"{sip.digital_out:06b}"
    trial.fact("io.outputs", "outputs after DIGOUT with mask 255 (high byte) and states 010101", outputs)
    client.send(Command.DIGOUT(0xFF00))


def loop_back(trial: Trial) -> None:
    """A wire from TxD to RxD of AUX1."""
    client = trial.client
    text = "Connect pins 2 and 3 (TxD and RxD) of AUX1 with a wire."
    if not trial.owner.do(Request(Action.WIRE, text)):
        return
    client.send(Command.GETAUX(0), Command.TTY2(_TEXT))
    sent = client.now()
    packet = client.ask(Command.GETAUX(len(_TEXT)), Aux, 2.0)
    trial.fact(
        "aux.echo",
        "text through the wire",
        None if packet is None else "unchanged" if packet.data == _TEXT else "changed",
    )
    trial.number(
        "aux.time", "time until it is back", None if packet is None else client.now() - sent, "s", 0.05, compared=False
    )
    long = bytes(range(48, 123)) * 3
    client.send(Command.GETAUX(0), Command.TTY2(long[:100]), Command.TTY2(long[100:195]))
    packet = client.ask(Command.GETAUX(195), Aux, 3.0)
    trial.fact("aux.longest", "bytes of the answer to GETAUX 195", None if packet is None else len(packet.data))
    client.send(Command.GETAUX(0))
