# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The line of an examination: a port that keeps every byte with its time, in both directions."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..connection_policy import OPEN_RETRY_FIRST, READ_TIMEOUT
from ..errors import PortError
from ..transport import Port


class Chunk(NamedTuple):
    """The bytes of one read or one write."""

    stamp: float  #: s
    to_robot: bool
    data: bytes
    baud: int = 0  #: line speed of the port


class TappedLine:
    """The `Line` of a `SteppedDriver` at a port; only `wait` waits. A port that is lost is opened again."""

    def __init__(self, opener: Callable[[int], Port], clock: Callable[[], float], baud: int) -> None:
        """Open the port.

        Args:
            opener: Opens it at a line speed.
            clock: Returns seconds, as that of the port.
            baud: Line speed of the port.

        Raises:
            PortError: It cannot be opened.
        """
        self.chunks: list[Chunk] = []  #: every byte, with its time
        self.frames: list[Chunk] = []  #: the data of each frame, with the time of its last byte
        self.only_speed = False  #: there is no search for another line speed
        self.problem = ""  #: why the port was lost, the last time
        self._open, self._clock, self.baud = opener, clock, baud
        port = self._open(baud)
        self._port: Port | None = port
        self.name = port.name
        self._data = b""

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes, see `Port.byte_time`; 0 at the only speed that is tried."""
        if self.only_speed:
            return 0.0
        return self._port.byte_time if self._port else None

    @property
    def unplugged(self) -> bool:
        """Whether the port is lost."""
        return self._port is None

    def wait(self, until: float) -> None:
        """Wait for bytes, at most until a time (s)."""
        seconds = min(max(0.0, until - self._clock()), READ_TIMEOUT)
        if self._port is None:
            time.sleep(OPEN_RETRY_FIRST)
            with contextlib.suppress(PortError):
                self._port = self._open(self.baud)
            return
        try:
            data = self._port.read(seconds)
        except PortError as error:
            self._lose(error)
            return
        if data:
            self.chunks.append(Chunk(self._clock(), False, data, self.baud))
            self._data += data

    def receive(self, data: bytes, now: float) -> None:
        """Write bytes."""
        if self._port is None:
            return
        self.chunks.append(Chunk(self._clock(), True, data, self.baud))
        try:
            self._port.write(data)
        except PortError as error:
            self._lose(error)

    def transmit(self, now: float) -> bytes:
        """Return the bytes that `wait` has read."""
        data, self._data = self._data, b""
        return data

    def next_event(self, now: float) -> float:
        """Return when `transmit` has something: nothing is known of the future."""
        return now if self._data else float("inf")

    def set_client_baud(self, baud: int) -> None:
        """Change the line speed."""
        if self._port and self._port.byte_time:
            self.baud = baud
            self._port.set_baud(baud)

    def close(self) -> None:
        """Close the port."""
        if self._port:
            self._port.close()
            self._port = None

    def _lose(self, error: PortError) -> None:
        self.problem = str(error)
        self.close()


def received(chunks: Iterable[Chunk]) -> bytes:
    """Return all bytes that came from the robot."""
    return b"".join(chunk.data for chunk in chunks if not chunk.to_robot)
