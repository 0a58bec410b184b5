"""Bytes in, frames out: finds frames in a stream that may hold anything (docs/protocol.md 1.4).

Rules: only the checksum decides what a frame is. A header whose count or checksum is wrong costs one byte,
never the bytes behind it, so a damaged count cannot swallow the next good frame. A frame that stops arriving
for longer than `GAP_TIMEOUT` is given up the same way. No input raises; whatever is thrown away is counted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .frame import HEADER, MIN_COUNT, Checksum, checksum

#: Seconds without a byte after which a half-received frame is given up (ARIA waits as long).
GAP_TIMEOUT = 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """The data of one good frame, and when its first byte was put on the wire (s, the clock given to feed)."""

    data: bytes
    stamp: float


@dataclass(slots=True)
class DecoderStats:
    """What the decoder has seen since it was made; every byte is in a good frame, skipped or still pending."""

    bytes: int = 0
    frames: int = 0
    checksum_errors: int = 0
    skipped_bytes: int = 0


class FrameDecoder:
    """Decodes one direction of a link; `byte_time` is the seconds one byte takes on the wire (0: unknown)."""

    def __init__(self, byte_time: float = 0.0, check: Checksum = checksum) -> None:
        self.byte_time = byte_time
        self.check = check
        self.stats = DecoderStats()
        self._pending = bytearray()
        #: (bytes fed so far, when) for each chunk that still has bytes pending
        self._arrivals: deque[tuple[int, float]] = deque()
        self._newest = float("-inf")

    def feed(self, data: bytes, now: float) -> list[Frame]:
        """Take the bytes that arrived until `now` (s, monotonic) and return the frames they complete.

        Without bytes it only lets time pass: a frame that stopped arriving is given up.
        """
        frames: list[Frame] = []
        if self._arrivals and now - self._arrivals[-1][1] > GAP_TIMEOUT:
            # Every header in there has waited too long, not only the first.
            while self._pending:
                self._skip(1)
                self._scan(frames)
        if data:
            self.stats.bytes += len(data)
            self._pending += data
            self._arrivals.append((self.stats.bytes, now))
            self._scan(frames)
        return frames

    def reset(self) -> None:
        """Forget a half-received frame, for instance after the port was reopened."""
        self._skip(len(self._pending))

    def _scan(self, frames: list[Frame]) -> None:
        pending = self._pending
        while True:
            start = pending.find(HEADER)
            if start < 0:
                # The last byte may be the first half of a header.
                self._skip(len(pending) - pending.endswith(HEADER[:1]))
                return
            self._skip(start)
            if len(pending) < 3:
                return
            count = pending[2]
            if count < MIN_COUNT:
                self._skip(1)
                continue
            if len(pending) < count + 3:
                return
            data = bytes(pending[3 : count + 1])
            if self.check(data) != int.from_bytes(pending[count + 1 : count + 3], "big"):
                self.stats.checksum_errors += 1
                self._skip(1)
                continue
            frames.append(Frame(data, self._sent_at(count + 3)))
            self.stats.frames += 1
            self._consume(count + 3)

    def _sent_at(self, size: int) -> float:
        """When the first of the `size` pending bytes was put on the wire, from when the last of them arrived.

        That may be a while ago, when a damaged count before it kept the frame waiting; but never before the stamp
        of an earlier frame, though bytes that were held up on their way come faster than the line is.
        """
        end = self.stats.bytes - len(self._pending) + size
        fed, arrived = next(chunk for chunk in self._arrivals if chunk[0] >= end)
        self._newest = max(self._newest, arrived - (fed - end + size) * self.byte_time)
        return self._newest

    def _skip(self, count: int) -> None:
        self.stats.skipped_bytes += count
        self._consume(count)

    def _consume(self, count: int) -> None:
        del self._pending[:count]
        gone = self.stats.bytes - len(self._pending)
        while self._arrivals and self._arrivals[0][0] <= gone:
            self._arrivals.popleft()
