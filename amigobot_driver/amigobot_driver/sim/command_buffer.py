"""What the controller has received and not executed yet: a buffer that loses whole packets (docs/protocol.md 8.4)."""

from __future__ import annotations

from collections import deque

from ..protocol import MAX_SEND_COUNT, OVERHEAD, Checksum, FrameDecoder, checksum
from .faults import FaultInjector

#: bytes of waiting frames; one that does not fit is lost as a whole
_SIZE = 256


class CommandBuffer:
    """Finds frames in the bytes from the line and keeps them until the next control cycle takes one."""

    def __init__(self, fault_injector: FaultInjector, check: Checksum = checksum) -> None:
        self._fault_injector = fault_injector
        self._decoder = FrameDecoder(check=check)
        self._frames: deque[bytes] = deque()
        self._used = 0
        self.lost = 0  #: frames that found the buffer full

    def __len__(self) -> int:
        return len(self._frames)

    def feed(self, data: bytes, now: float) -> None:
        """Take the bytes that arrived until `now`. Frames longer than a firmware reads are passed over."""
        for frame in self._decoder.feed(data, now):
            if len(frame.data) + 2 <= MAX_SEND_COUNT:
                for _ in range(self._fault_injector.copies()):
                    self._keep(frame.data)

    def _keep(self, data: bytes) -> None:
        size = len(data) + OVERHEAD
        if self._used + size > _SIZE:
            self.lost += 1
        else:
            self._used += size
            self._frames.append(data)

    def take(self) -> bytes | None:
        """The data of the oldest frame."""
        if not self._frames:
            return None
        data = self._frames.popleft()
        self._used -= len(data) + OVERHEAD
        return data
