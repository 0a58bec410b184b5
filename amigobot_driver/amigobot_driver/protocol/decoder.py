"""Finds frames in a stream of arbitrary bytes (docs/protocol.md 1.4).

Only the checksum decides what is a frame. After a header with a wrong count or checksum the decoder skips one byte and
searches again, so a damaged count cannot hide the next good frame. A frame that stops arriving for longer than
`GAP_TIMEOUT` is skipped in the same way. No input raises; skipped bytes are counted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .frame import HEADER, MIN_COUNT, Checksum, checksum

#: Seconds without a byte after which an incomplete frame is given up (as ARIA does).
GAP_TIMEOUT = 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """The data of one valid frame, and when its first byte was sent (s, on the clock given to `feed`)."""

    data: bytes
    stamp: float


@dataclass(slots=True)
class DecoderStats:
    """Statistics of a decoder. Every byte is in a valid frame, skipped or still pending."""

    bytes: int = 0
    frames: int = 0
    checksum_errors: int = 0
    skipped_bytes: int = 0


class FrameDecoder:
    """Decodes one direction of a link.

    Args:
        byte_time: Seconds that one byte takes on the line; 0: unknown.
        check: Checksum function.
    """

    def __init__(self, byte_time: float = 0.0, check: Checksum = checksum) -> None:
        self.byte_time = byte_time
        self.check = check
        self.stats = DecoderStats()
        self._pending = bytearray()
        #: (bytes fed so far, when) for each chunk that still has bytes pending
        self._arrivals: deque[tuple[int, float]] = deque()
        self._newest = float("-inf")

    def feed(self, data: bytes, now: float) -> list[Frame]:
        """Decode received bytes.

        Args:
            data: Bytes that arrived until `now`. Empty data only checks for a frame that stopped arriving.
            now: Monotonic time in s.

        Returns:
            The frames that the bytes complete.
        """
        frames: list[Frame] = []
        if self._arrivals and now - self._arrivals[-1][1] > GAP_TIMEOUT:
            # Every pending header has waited too long, not only the first.
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
        """Discard an incomplete frame, for example after the port was reopened."""
        self._skip(len(self._pending))

    def _scan(self, frames: list[Frame]) -> None:
        pending = self._pending
        while pending:
            start = pending.find(HEADER)
            if start < 0:
                # The last byte may be the first half of a header.
                self._skip(len(pending) - pending.endswith(HEADER[:1]))
                return
            if start:
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
        """Return when the first of `size` pending bytes was sent, computed from when the last of them arrived.

        A damaged count before the frame may have delayed its decoding. The result is never earlier than the stamp of
        the frame before: delayed bytes can arrive faster than the line speed.
        """
        end = self.stats.bytes - len(self._pending) + size
        for fed, arrived in self._arrivals:
            if fed >= end:
                self._newest = max(self._newest, arrived - (fed - end + size) * self.byte_time)
                break
        return self._newest

    def _skip(self, count: int) -> None:
        self.stats.skipped_bytes += count
        self._consume(count)

    def _consume(self, count: int) -> None:
        del self._pending[:count]
        gone = self.stats.bytes - len(self._pending)
        while self._arrivals and self._arrivals[0][0] <= gone:
            self._arrivals.popleft()
