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
from dataclasses import asdict, dataclass
from typing import IO, Protocol

from .simulator import Simulator

#: bytes in transit to the robot at which the server stops reading, so that the client waits
_BACKLOG = 4096
#: s between two lines of a log of the truth
_TRUTH_PERIOD = 0.05
#: s between two checks of conditions that cannot wake the loop
_IDLE = 0.05


class ServedRobot(Protocol):
    """What a server needs from a simulated or recorded robot. Times are s on one clock; no method blocks."""

    @property
    def unplugged(self) -> bool:
        """Whether the cable to the client is pulled."""

    @property
    def bytes_in_transit(self) -> int:
        """Bytes of the client that the robot has not read yet."""

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the client."""

    def transmit(self, now: float) -> bytes:
        """Return the bytes for the client that are due."""

    def next_event(self, now: float) -> float:
        """Return when to call `transmit` again."""

    def set_client_baud(self, baud: int) -> None:
        """Set the speed of the client's port in baud."""

    def open_port(self) -> None:
        """Note that the client has opened its serial port."""

    def close_port(self) -> None:
        """Note that the client has closed its serial port."""

    def disconnect(self) -> None:
        """Note that the client has closed its TCP connection."""


class ClientConnection(Protocol):
    """Transport of bytes to and from one client at a time. No method blocks."""

    @property
    def description(self) -> str:
        """Address to connect to, for messages."""

    def watched(self) -> list[int]:
        """Return the file descriptors that become readable when the client writes."""

    def read(self, limit: int) -> bytes:
        """Return the client's bytes, at most `limit`; accepts and drops clients."""

    def write(self, data: bytes) -> None:
        """Send bytes to the client; bytes that the client is too slow for are lost."""

    def close(self) -> None:
        """Release all resources."""


class TruthLog:
    """Appends the true state of the robot to a file, one JSON object per line, for comparisons."""

    def __init__(self, file: IO[str], robot: str = "") -> None:
        """Start with a line at the first call of `write`.

        Args:
            file: Open file for the lines.
            robot: Name of the robot in each line; "" for none.
        """
        self._file = file
        self._robot = {"robot": robot} if robot else {}
        self.next_due = 0.0

    def write(self, simulator: Simulator, now: float) -> None:
        """Write a line if one is due. `t` is the wall clock, `monotonic` the simulator's clock.

        Args:
            simulator: The robot.
            now: Time in s on the simulator's clock.
        """
        if now < self.next_due:
            return
        late = now - self.next_due > _TRUTH_PERIOD / 2
        self.next_due = (now if late else self.next_due) + _TRUTH_PERIOD
        truth = asdict(simulator.truth)
        at, pose = truth.pop("time"), truth.pop("pose")
        line = {**self._robot, "t": time.time() - (now - at), "monotonic": at, **pose, **truth}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


@dataclass(frozen=True, slots=True)
class Served:
    """A robot, the transport of its client, and the log of the true state of a simulated robot."""

    robot: ServedRobot
    connection: ClientConnection
    truth: TruthLog | None = None

    def exchange(self, now: float) -> list[int]:
        """Pass bytes in both directions; return the file descriptors to wait for."""
        robot, connection = self.robot, self.connection
        room = _BACKLOG - robot.bytes_in_transit
        robot.receive(connection.read(room) if room > 0 else b"", now)
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
    while not stopped():
        now = clock()
        watched = [descriptor for robot in served for descriptor in robot.exchange(now)]
        due = min(now + _IDLE, *(robot.next_due(now) for robot in served))
        select.select(watched, [], [], max(0.0, due - clock()))
