# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One direction of a serial line: bytes follow each other at its speed."""

from __future__ import annotations

import math
from collections import deque

#: bits on the wire for one byte: 8 data, start, stop
_BITS = 10


def byte_time(baud: int) -> float:
    """Return the time in s that one byte takes at `baud`."""
    return _BITS / baud


class Wire:
    """Delivers bytes after the time they take on the line. All times in s."""

    def __init__(self, byte_time: float = 0.0) -> None:
        """Start empty.

        Args:
            byte_time: Time in s that one byte takes; 0 delivers at once.
        """
        self.byte_time = byte_time
        self._pieces: deque[tuple[float, bytes]] = deque()
        self._free_at = -math.inf

    def __len__(self) -> int:
        """Return the number of bytes in transit."""
        return sum(len(data) for _, data in self._pieces)

    def put(self, data: bytes, now: float) -> None:
        """Send bytes; they start after those that are still in transit."""
        if data:
            start = max(now, self._free_at)
            self._pieces.append((start, data))
            self._free_at = start + len(data) * self.byte_time

    def take(self, now: float) -> tuple[bytes, float]:
        """Remove the bytes that have arrived.

        Args:
            now: Time in s.

        Returns:
            The bytes that arrived before `now` since the last call, and when the last of them arrived.
        """
        if not self._pieces:
            return b"", now
        arrived, last = bytearray(), now
        while self._pieces and self._pieces[0][0] < now:
            start, data = self._pieces.popleft()
            count = len(data)
            if self.byte_time:
                count = min(count, math.ceil((now - start) / self.byte_time) - 1)
            arrived += data[:count]
            last = start + count * self.byte_time
            if count < len(data):
                self._pieces.appendleft((last, data[count:]))
                break
        return bytes(arrived), last

    def clear(self) -> None:
        """Lose all bytes in transit."""
        self._pieces.clear()
