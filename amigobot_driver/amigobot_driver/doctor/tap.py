# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A port that keeps every byte with its time, in both directions: what the line shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..transport import Port


class Chunk(NamedTuple):
    """The bytes of one read or one write."""

    stamp: float  #: s
    to_robot: bool
    data: bytes


class TappedPort:
    """A port whose bytes are kept in a list. The methods are those of `Port`."""

    def __init__(self, port: Port, chunks: list[Chunk], clock: Callable[[], float] = time.monotonic) -> None:
        self._port, self._chunks, self._clock = port, chunks, clock
        self.name = port.name

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes, see `Port.byte_time`."""
        return self._port.byte_time

    def read(self, timeout: float) -> bytes:
        """Return the available bytes, see `Port.read`."""
        if data := self._port.read(timeout):
            self._chunks.append(Chunk(self._clock(), False, data))
        return data

    def write(self, data: bytes) -> None:
        """Write all bytes, see `Port.write`."""
        self._chunks.append(Chunk(self._clock(), True, data))
        self._port.write(data)

    def set_baud(self, baud: int) -> None:
        """Change the line speed, see `Port.set_baud`."""
        self._port.set_baud(baud)

    def close(self) -> None:
        """Close the port, see `Port.close`."""
        self._port.close()


def received(chunks: Iterable[Chunk]) -> bytes:
    """Return all bytes that came from the robot."""
    return b"".join(chunk.data for chunk in chunks if not chunk.to_robot)
