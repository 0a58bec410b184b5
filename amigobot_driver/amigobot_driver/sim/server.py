# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Serves simulated robots in real time: on a pty as on a serial port, or on TCP as behind a Wi-Fi bridge.

One thread runs one loop: it waits until a client has written bytes or a robot has bytes to send.
"""

from __future__ import annotations

import json
import math
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Protocol

from .served import ServedRobot
from .simulator import Simulator

#: bytes in transit to the robot at which the server stops reading, so that the client waits
_BACKLOG = 4096
#: s between two checks of conditions that cannot wake the loop
_IDLE = 0.05


class ClientConnection(Protocol):
    """Transport of bytes to and from one client at a time. No method blocks."""

    @property
    def description(self) -> str:
        """Address to connect to, for messages."""
        ...

    def watched(self) -> list[int]:
        """Return the file descriptors to poll for input."""
        ...

    def read(self, limit: int) -> bytes:
        """Return the client's bytes, at most `limit`; accepts and drops clients."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes to the client; bytes that the client is too slow for are lost."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


class TruthLog:
    """Appends the true state of the robot to a file, one JSON object per line, for comparisons."""

    def __init__(self, file: IO[str], rate: float = 20.0, *, robot: str = "") -> None:
        """Start with a line at the first call of `write`.

        Args:
            file: Open file for the lines.
            rate: Lines per second.
            robot: Name of the robot in each line; "" for none.
        """
        self._file = file
        self._robot = {"robot": robot} if robot else {}
        self._period = 1 / rate
        self.next_due = 0.0

    def write(self, simulator: Simulator, now: float) -> None:
        """Write a line if one is due. `t` is the wall clock, `monotonic` the simulator's clock.

        Args:
            simulator: The robot.
            now: Time in s on the simulator's clock.
        """
        if now < self.next_due:
            return
        late = now - self.next_due > self._period / 2
        self.next_due = (now if late else self.next_due) + self._period
        truth = simulator.truth
        line = {
            **self._robot,
            "t": time.time() - (now - truth.time),
            "monotonic": truth.time,
            "x": truth.pose.x,
            "y": truth.pose.y,
            "heading": truth.pose.heading,
            "left_velocity": truth.left_velocity,
            "right_velocity": truth.right_velocity,
            "turn_rate": truth.turn_rate,
            "touching": truth.touching,
        }
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


@dataclass(frozen=True, slots=True)
class Served:
    """A robot, the transport of its client, and the log of the true state of a simulated robot."""

    robot: ServedRobot
    connection: ClientConnection
    truth: TruthLog | None = None

    def exchange(self, now: float) -> list[int]:
        """Pass bytes in both directions; return the file descriptors to poll for input."""
        robot, connection = self.robot, self.connection
        room = _BACKLOG - robot.bytes_in_transit
        data = connection.read(room) if room > 0 else b""
        robot.receive(data, now)
        connection.write(robot.transmit(now))
        if self.truth and isinstance(robot, Simulator):
            self.truth.write(robot, now)
        return connection.watched() if room > 0 else []

    def next_due(self, now: float) -> float:
        """Return when there is something to do without input, s."""
        return min(self.robot.next_event(now), self.truth.next_due if self.truth else math.inf)


def serve(*served: Served, stopped: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
    """Run one or several robots in real time.

    Args:
        served: The robots.
        stopped: Called at least twenty times a second; the function returns when it is true.
        clock: Time in s.
    """
    poll = select.poll()
    watched: list[int] = []
    while not stopped():
        now = clock()
        needed = [descriptor for robot in served for descriptor in robot.exchange(now)]
        if needed != watched:
            for descriptor in watched:
                poll.unregister(descriptor)
            for descriptor in needed:
                poll.register(descriptor, select.POLLIN)
            watched = needed
        due = min(now + _IDLE, *(robot.next_due(now) for robot in served))
        poll.poll(max(0.0, (due - clock()) * 1000))
