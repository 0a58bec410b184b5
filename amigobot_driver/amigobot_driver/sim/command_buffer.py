# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The received commands that wait for execution (docs/protocol 8.4)."""

from __future__ import annotations

from collections import deque

from ..protocol import MAX_SEND_COUNT, OVERHEAD, Checksum, FrameDecoder, checksum
from .faults import FaultInjector

#: bytes of waiting frames; a frame that does not fit is lost as a whole
_SIZE = 256


class CommandBuffer:
    """Finds frames in the bytes from the line, and keeps them until a control cycle executes them."""

    def __init__(self, fault_injector: FaultInjector, check: Checksum = checksum) -> None:
        """Start empty.

        Args:
            fault_injector: Loses packets.
            check: Checksum of the frames.
        """
        self._fault_injector = fault_injector
        self._decoder = FrameDecoder(check=check)
        self._frames: deque[bytes] = deque()
        self._used = 0
        self.lost = 0  #: number of frames that did not fit

    def __len__(self) -> int:
        return len(self._frames)

    def feed(self, data: bytes, now: float) -> None:
        """Process received bytes; frames that are longer than a firmware reads are ignored.

        Args:
            data: The bytes.
            now: When the last of them arrived, s.
        """
        for frame in self._decoder.feed(data, now):
            if len(frame.data) + 2 <= MAX_SEND_COUNT and not self._fault_injector.loses_packet():
                self._keep(frame.data)

    def _keep(self, data: bytes) -> None:
        size = len(data) + OVERHEAD
        if self._used + size > _SIZE:
            self.lost += 1
        else:
            self._used += size
            self._frames.append(data)

    def take(self) -> bytes | None:
        """Remove the oldest frame.

        Returns:
            Its data, or None if the buffer is empty.
        """
        if not self._frames:
            return None
        data = self._frames.popleft()
        self._used -= len(data) + OVERHEAD
        return data
