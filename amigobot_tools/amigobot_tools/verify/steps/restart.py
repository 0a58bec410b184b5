# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The last steps, which end the session: a pretended empty battery, and a reset."""

from __future__ import annotations

from amigobot_driver.protocol import Command, Reset, Sip

from ..client import NoAnswer
from ..trial import Trial

#: 0.1 V that BATTEST pretends: below the alarm, below the cut-off
_ALARM, _EMPTY = 108, 98
_PATIENCE = 10.0
#: s between two SYNC0 while the controller starts
_KNOCK = 0.02


def battery(trial: Trial) -> None:
    """What the firmware does at a voltage that BATTEST pretends."""
    client = trial.client
    if not trial.knows(Command.BATTEST):
        trial.fact("battery.low", "session at 10.8 V", "this firmware has no BATTEST")
        return
    for key, value in (("low", _ALARM), ("empty", _EMPTY)):
        client.send(Command.BATTEST(value))
        client.wait(3.0)
        alive = client.wait_for(Sip, 0.5) is not None
        trial.fact(f"battery.{key}", f"session at {value / 10:g} V", "open" if alive else "closed")
        if not alive:
            break
    else:
        client.send(Command.BATTEST(0))
        return
    client.opened = False
    client.connect()
    client.open()


def reset(trial: Trial) -> None:
    """RESET: what it sends, how long the controller starts."""
    client = trial.client
    if not trial.knows(Command.RESET):
        trial.fact("reset.packet", "RESET", "this firmware has no such command")
        return
    client.send(Command.RESET())
    client.opened = False
    sent = client.now()
    first = len(client.packets)
    client.wait(0.2)
    while client.now() - sent < _PATIENCE:
        client.send_sync(0)
        client.wait(_KNOCK)
        echoes = [stamped for stamped in client.packets[first:] if stamped.data[:1] == b"\0"]
        if echoes:
            trial.number(
                "reset.time",
                "time from RESET until SYNC0 is answered",
                echoes[0].time - sent,
                "s",
                0.01,
                parameter="physics.boot_time",
            )
            break
    else:
        if client.wait_for(Sip, 1.0) is None:
            raise NoAnswer("the robot does not answer within 10 s of RESET")
        client.opened = True  # it has ignored RESET: the session goes on
        trial.fact("reset.packet", "RESET is answered with packet 0xFF", "no")
        return
    answered = any(isinstance(stamped.packet, Reset) for stamped in client.packets[first:])
    trial.fact("reset.packet", "RESET is answered with packet 0xFF", "yes" if answered else "no")
    client.connect()
    client.open()
