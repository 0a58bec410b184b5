# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The session: the watchdog with motors off, what OPEN does to odometry, the MOTORS button, and what ends it."""

from __future__ import annotations

from amigobot_driver.protocol import Command, Reset, Sip, Unlisted

from ..client import NoAnswerError
from ..person import Action, Request
from ..script import Played
from ..trial import StepError, Trial

_BUTTON_TIME = 3.0  # s until the motors have changed
_RESTART = 10.0  # s until the controller has restarted
_KNOCK = 0.02  # s between two SYNC0 while the controller starts


def silence(trial: Trial, played: Played) -> None:
    """Silence with the motors off: nothing can be seen of the watchdog but that the session survives."""
    client = trial.client
    times = played["silence"].log.time
    alive = len(times) > 0 and client.now() - times[-1] < 0.5
    trial.keep("watchdog.silent_session", "open" if alive else "closed")
    if alive:
        trial.keep("watchdog.config", "answered" if client.config() else "ignored")
    else:
        client.connect()


def open_odometry(trial: Trial, played: Played) -> None:
    """Whether a new session begins with the counters of the old one."""
    client = trial.client
    before = played["drive"].of(Sip)
    client.close()
    client.connect()
    client.wait(0.6)
    after = client.wait_for(Sip, 1.0)
    if not before or after is None:
        raise StepError("no standard packet")
    kept = abs(after.x - before[-1].x) <= 2 and before[-1].x != 0
    trial.keep("open.odometry", "kept" if kept else "zeroed" if after.x == 0 else "changed")
    if not after.UNREPORTED & Sip.MOTORS:
        trial.keep("open.motors", "on" if after.motors_enabled else "off")
    trial.keep("open.sonar", "on" if after.sonar_enabled else "off")


def button(trial: Trial, played: Played) -> None:
    """What the MOTORS button does in a session."""
    client, states = trial.client, []
    for _ in range(2):
        enabled = client.next_sip().motors_enabled
        if not trial.person.do(Request(Action.BUTTON, "Press the button MOTORS once.")):
            trial.keep("button.motors", None)
            return
        changed = client.wait_for(Sip, _BUTTON_TIME, lambda sip, was=enabled: sip.motors_enabled is not was)  # type: ignore[misc]
        states.append("nothing" if changed is None else "on" if changed.motors_enabled else "off")
    client.send(Command.ENABLE(0))
    trial.keep("button.motors", ", ".join(states))


def battery(trial: Trial, played: Played) -> None:
    """What the firmware does at a voltage that BATTEST pretends."""
    client = trial.client
    for key, decivolts in (("battery.low", 108), ("battery.empty", 98)):
        client.send(Command.BATTEST(decivolts))
        client.wait(3.0)
        alive = client.wait_for(Sip, 0.5) is not None
        trial.keep(key, "open" if alive else "closed")
        if not alive:
            client.connect()
            return
    client.send(Command.BATTEST(0))


def reset(trial: Trial, played: Played) -> None:
    """RESET: what it sends, how long the controller starts."""
    client = trial.client
    first = len(client.packets)
    sent = client.send(Command.RESET())
    client.opened = False
    client.wait(0.2)
    echoes: list[float] = []
    while not echoes and client.now() < sent + _RESTART:
        client.send_bytes(Unlisted(0).encode(client.dialect.check), "SYNC0")
        echoes = [stamped.time for stamped in client.wait(_KNOCK) if stamped.data[:1] == b"\0"]
    if echoes:
        trial.keep("reset.time", echoes[0] - sent, 0.01)
        answered = any(isinstance(stamped.packet, Reset) for stamped in client.packets[first:])
        trial.keep("reset.packet", "yes" if answered else "no")
        client.connect()
    elif client.wait_for(Sip, 1.0) is None:
        raise NoAnswerError("the robot does not answer within 10 s of RESET")
    else:
        client.opened = True  # it has ignored RESET: the session goes on
        trial.keep("reset.packet", "no")
