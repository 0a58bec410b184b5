"""Serves a simulated robot in real time: on a pty as on a serial port, or on TCP as behind a Wi-Fi bridge.

One loop, one thread: wait until the client has written something or the robot has something to say.
"""

from __future__ import annotations

import json
import select
import time
from collections.abc import Callable
from typing import IO, Protocol

from .simulator import Simulator

#: bytes on their way to the robot at which the server stops reading, so that the client has to wait
_BACKLOG = 4096
#: s between two looks at what cannot wake the loop
_IDLE = 0.05


class Connection(Protocol):
    """How bytes get to and from one client at a time. Nothing here blocks."""

    @property
    def description(self) -> str:
        """For people: what to connect to."""
        ...

    def watched(self) -> list[int]:
        """The file descriptors whose readability is worth waking up for."""
        ...

    def read(self, limit: int) -> bytes:
        """What the client has written, at most `limit` bytes; takes care of clients coming and going."""
        ...

    def write(self, data: bytes) -> None:
        """Give the client these bytes, or lose those that it is too slow for."""
        ...

    def close(self) -> None:
        """Give back everything."""
        ...


class TruthLog:
    """Appends what the robot really does to a file, one JSON object a line: for comparisons elsewhere."""

    def __init__(self, file: IO[str], rate: float = 20.0) -> None:
        self._file = file
        self._period = 1 / rate
        self.next_due = 0.0

    def write(self, simulator: Simulator, now: float) -> None:
        """One line, when it is time. `t` is the wall clock, `monotonic` the clock the simulator runs on."""
        if now < self.next_due:
            return
        late = now - self.next_due > self._period / 2
        self.next_due = (now if late else self.next_due) + self._period
        truth = simulator.truth
        line = {
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


def serve(
    simulator: Simulator,
    connection: Connection,
    *,
    stopped: Callable[[], bool],
    truth: TruthLog | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Run until `stopped()`, which is asked at least twenty times a second."""
    poll = select.poll()
    watched: list[int] = []
    while not stopped():
        now = clock()
        room = _BACKLOG - simulator.bytes_in_transit
        data = connection.read(room) if room > 0 else b""
        simulator.receive(data, now)
        connection.write(simulator.transmit(now))
        if truth is not None:
            truth.write(simulator, now)
        wanted = connection.watched() if room > 0 else []
        if wanted != watched:
            for descriptor in watched:
                poll.unregister(descriptor)
            for descriptor in wanted:
                poll.register(descriptor, select.POLLIN)
            watched = wanted
        due = min(simulator.next_event(now), truth.next_due if truth else now + _IDLE, now + _IDLE)
        poll.poll(max(0.0, (due - clock()) * 1000))
