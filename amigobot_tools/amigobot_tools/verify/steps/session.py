# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The watchdog with motors off, what OPEN does to odometry, and the MOTORS button."""

from __future__ import annotations

from amigobot_driver.protocol import Command, Sip

from ..client import Client
from ..owner import Action, Request
from ..trial import StepFailed, Trial

#: s of silence beyond the watchdog time
_BEYOND = 1.0
#: mm/s and s of the drive before OPEN
_VELOCITY, _DRIVE = 200, 1.0
_BUTTON_TIME = 3.0


def watchdog_seconds(trial: Trial) -> float:
    """Watchdog time that CONFIG has, s."""
    return trial.configured("watchdog") / 1000 or 2.0


def silence(trial: Trial) -> None:
    """Silence with the motors off: nothing can be seen of the watchdog but that the session survives."""
    client = trial.client
    client.send(Command.ENABLE(0))
    packets = client.wait(watchdog_seconds(trial) + _BEYOND, alive=False)
    last = [stamped.time for stamped in packets if isinstance(stamped.packet, Sip)]
    alive = bool(last) and client.now() - last[-1] < 0.5
    trial.fact("watchdog.silent_session", "session after a silence with motors off", "open" if alive else "closed")
    if not alive:
        client.opened = False
        client.connect()
        client.open()
        return
    trial.fact("watchdog.config", "CONFIG after that", "answered" if client.config() else "ignored")


def open_odometry(trial: Trial) -> None:
    """Whether a new session begins with the counters of the old one."""
    client = trial.client
    with trial.motors():
        trial.drive(_DRIVE, Command.VEL(_VELOCITY))
    before = client.wait_for(Sip, 1.0)
    client.close()
    client.connect()
    client.open()
    client.wait(0.6)
    after = client.wait_for(Sip, 1.0)
    if before is None or after is None:
        raise StepFailed("no standard packet")
    kept = abs(after.x - before.x) <= 2 and before.x != 0
    trial.fact("open.odometry", "X and Y after OPEN", "kept" if kept else "zeroed" if after.x == 0 else "changed")
    if not after.UNREPORTED & Sip.MOTORS:
        trial.fact("open.motors", "motors after OPEN", "on" if after.motors_enabled else "off")
    trial.fact("open.sonar", "sonars after OPEN", "on" if after.sonar_enabled else "off")


def button(trial: Trial) -> None:
    """What the MOTORS button does in a session."""
    client, owner = trial.client, trial.owner
    states = []
    for _ in range(2):
        sip = client.wait_for(Sip, 1.0)
        if sip is None or not owner.do(Request(Action.BUTTON, "Press the button MOTORS once.")):
            trial.fact("button.motors", "MOTORS button", None)
            return
        states.append(_next_state(client, sip.motors_enabled))
    client.send(Command.ENABLE(0))
    trial.fact("button.motors", "MOTORS button, pressed twice with the motors off", ", ".join(states))


def _next_state(client: Client, was: bool) -> str:
    """State of the motors after they have changed, or "nothing"."""
    changed = client.wait_for(Sip, _BUTTON_TIME, lambda packet: packet.motors_enabled is not was)
    return "nothing" if changed is None else "on" if changed.motors_enabled else "off"
