# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One component of the robot by itself: packets in, events and commands out, no link and no simulator."""

from __future__ import annotations

import dataclasses
from typing import Any

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Packet, Sip, TuningValues
from amigobot_driver.robot import Event
from amigobot_driver.robot.command_queue import CommandQueue
from amigobot_driver.robot.component import Context, Dispatcher
from amigobot_driver.robot.scheduler import Scheduler


def sip(**fields: Any) -> Sip:
    """A SIP whose fields are 0, but for these."""
    required = {field.name: 0 for field in dataclasses.fields(Sip) if field.default is dataclasses.MISSING}
    return Sip(**{**required, "sonar": (), **fields})


class ComponentBench:
    """Give `context` to the component that is tested; the robot supports every command."""

    def __init__(self, robot: str = "amigo") -> None:
        self.queue = CommandQueue(0.0)
        self.sends, self.timeouts = Scheduler(), Scheduler()
        self._dispatcher = Dispatcher()
        self._config: TuningValues | None = None
        self.events: list[Event] = []  #: all that were emitted
        profile = load_profile(robot)
        self.context = Context(
            self.queue,
            self.sends,
            self.timeouts,
            self._dispatcher,
            self.events.append,
            profile=lambda: profile,
            unsupported=lambda command: "",
            config=lambda: self._config,
            no_robot=lambda: "",
        )

    def receive(self, packet: Packet, stamp: float) -> list[Event]:
        """Hand a packet to the component; the events that it emits."""
        if isinstance(packet, TuningValues):
            self._config = packet
        before = len(self.events)
        self._dispatcher.packet(packet, stamp, stamp)
        return self.events[before:]

    def run(self, now: float) -> list[str]:
        """Let the time be `now` (s); the commands that were sent, as text."""
        self.timeouts.run(now)
        self.sends.run(now)
        commands = []
        while command := self.queue.take(now):
            self._dispatcher.sent(command, now)
            commands.append(str(command))
        return commands
