# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Finds frames in a stream of arbitrary bytes (docs/protocol 1.4).

Only the checksum decides what is a frame. After a header with a wrong count or checksum the decoder skips one byte and
searches again, so a damaged count cannot hide the next good frame. A frame that stops arriving for longer than
`GAP_TIMEOUT` is skipped in the same way. No input raises; skipped bytes are counted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from .frame import HEADER, MIN_COUNT, Checksum, checksum

#: Seconds without a byte after which an incomplete frame is given up (as ARIA does).
GAP_TIMEOUT = 0.1


class Frame(NamedTuple):
    """The data of one valid frame, and when its first byte was sent (s, on the clock given to `feed`)."""

    data: bytes
    stamp: float


@dataclass(slots=True)
class DecoderStats:
    """Statistics of a decoder. Every byte is in a valid frame, skipped or still pending."""

    bytes: int = 0  #: that have arrived
    frames: int = 0  #: with a correct checksum
    checksum_errors: int = 0  #: damaged frames
    skipped_bytes: int = 0  #: that were in no valid frame


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
        self._pending = b""
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
                self.stats.skipped_bytes += 1
                self._pending = self._pending[1:]
                self._scan(frames)
        if data:
            self.stats.bytes += len(data)
            self._pending += data
            self._arrivals.append((self.stats.bytes, now))
            self._scan(frames)
        return frames

    def reset(self) -> None:
        """Discard an incomplete frame, for example after the port was reopened."""
        self.stats.skipped_bytes += len(self._pending)
        self._pending = b""
        self._arrivals.clear()

    def _scan(self, frames: list[Frame]) -> None:
        """Append the complete frames among the pending bytes. One pass: bytes are removed once, at its end."""
        pending, stats = self._pending, self.stats
        size = len(pending)
        before = stats.bytes - size  #: bytes before the pending ones
        at = 0
        while at < size:
            start = pending.find(HEADER, at)
            if start < 0:
                # The last byte may be the first half of a header.
                start = size - pending.endswith(HEADER[:1])
            stats.skipped_bytes += start - at
            at = start
            if size - at < 3:
                break
            count = pending[at + 2]
            end = at + count + 3
            if count < MIN_COUNT:
                stats.skipped_bytes += 1
                at += 1
                continue
            if size < end:
                break
            data = pending[at + 3 : end - 2]
            if self.check(data) != pending[end - 2] << 8 | pending[end - 1]:
                stats.checksum_errors += 1
                stats.skipped_bytes += 1
                at += 1
                continue
            frames.append(Frame(data, self._sent_at(before + end, count + 3)))
            stats.frames += 1
            at = end
        self._pending = pending[at:]
        arrivals, gone = self._arrivals, before + at
        while arrivals and arrivals[0][0] <= gone:
            arrivals.popleft()

    def _sent_at(self, end: int, size: int) -> float:
        """Return when the first of `size` bytes was sent, from when the last of them, number `end`, arrived.

        A damaged count before the frame may have delayed its decoding. The result is never earlier than the stamp of
        the frame before: delayed bytes can arrive faster than the line speed.
        """
        for fed, arrived in self._arrivals:
            if fed >= end:
                sent = arrived - (fed - end + size) * self.byte_time
                if sent > self._newest:
                    self._newest = sent
                break
        return self._newest
