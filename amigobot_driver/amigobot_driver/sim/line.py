"""The serial line between robot and client: bytes take their time, and the SIP goes first (docs/protocol.md 8.3).

What the firmware sends waits in a queue. A SIP overtakes everything that is not on the wire yet; a streamed
packet that would not be through before the next cycle is dropped, and counted as dropped.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from .faults import FaultInjector
from .wire import Wire, byte_time

#: bytes after which the receiving UART hands over what it has
_FIFO = 14
#: bytes that may wait on the robot's side; beyond that even an answer is lost
_QUEUE = 1024


class Priority(Enum):
    """What happens to a packet when the line is busy."""

    SIP = auto()  #: goes first
    ANSWER = auto()  #: waits
    STREAM = auto()  #: is dropped when the cycle is full


@dataclass(slots=True)
class LineStats:
    """What the robot has put on the line."""

    frames: int = 0
    dropped: int = 0


class Line:
    """Both directions. Not `paced`, bytes take no time. All times in s on the caller's clock."""

    def __init__(self, fault_injector: FaultInjector, *, paced: bool) -> None:
        self.stats = LineStats()
        #: the speed at which the client sends and listens, where it is known and matters
        self.client_baud: int | None = None
        self.interrupted = False  #: no byte passes, either way
        self._fault_injector = fault_injector
        self._paced = paced
        self._sips: deque[bytes] = deque()
        self._others: deque[bytes] = deque()
        self._free_at = -math.inf
        self._outgoing: deque[tuple[float, bytes]] = deque()
        self._incoming = Wire()
        self.set_baud(9600)

    def set_baud(self, baud: int) -> None:
        """A new speed for everything that is not on the wire yet."""
        self.baud = baud
        self.byte_time = self._incoming.byte_time = byte_time(baud) if self._paced else 0.0

    # --- robot to client -----------------------------------------------------------------------------------

    def send(self, frame: bytes, priority: Priority, now: float, deadline: float = math.inf) -> None:
        """Send or queue a frame. A STREAM must be through by `deadline`; without room, it is lost."""
        self._advance(now)
        size = sum(map(len, (*self._sips, *self._others))) + len(frame)
        through = max(now, self._free_at) + size * self.byte_time
        if size > _QUEUE or (priority is Priority.STREAM and through > deadline):
            self.stats.dropped += 1
        elif self._free_at <= now:
            self._put_on_wire(frame, now)
        else:
            (self._sips if priority is Priority.SIP else self._others).append(frame)

    def collect(self, now: float) -> bytes:
        """The bytes that have reached the client by `now` since the last time."""
        self._advance(now)
        ready = bytearray()
        while self._outgoing and self._outgoing[0][0] <= now:
            ready += self._outgoing.popleft()[1]
        return bytes(ready)

    @property
    def next_arrival(self) -> float:
        """When the client may get bytes of what has been sent; inf for never."""
        waiting = self._free_at if self._sips or self._others else math.inf
        return min(waiting, self._outgoing[0][0]) if self._outgoing else waiting

    def discard_queued(self) -> None:
        """Forget what waits. The frame that is on the wire is finished."""
        self._sips.clear()
        self._others.clear()

    def _advance(self, now: float) -> None:
        """Each waiting frame follows the one before without a pause."""
        while self._free_at <= now and (self._sips or self._others):
            self._put_on_wire((self._sips or self._others).popleft(), self._free_at)

    def _put_on_wire(self, frame: bytes, start: float) -> None:
        self.stats.frames += 1
        self._free_at = start + len(frame) * self.byte_time
        for _ in range(self._fault_injector.copies()):
            late = self._fault_injector.lateness()
            for at in range(0, len(frame), _FIFO):
                chunk = frame[at : at + _FIFO]
                arrival = start + (at + len(chunk)) * self.byte_time + late
                heard = self._heard(self._fault_injector.spoil(chunk), self.baud, self.client_baud)
                if not self.interrupted:
                    self._outgoing.append((arrival, heard))

    # --- client to robot -----------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """The client hands over bytes at `now`."""
        if data and not self.interrupted:
            data = self._heard(self._fault_injector.spoil(data), self.client_baud, self.baud)
            self._incoming.put(data, now + self._fault_injector.lateness())

    def take_received(self, now: float) -> tuple[bytes, float]:
        """The bytes that reached the robot before `now` since the last time, and when the last one came."""
        return self._incoming.take(now)

    @property
    def bytes_in_transit(self) -> int:
        """Bytes from the client that the robot has not heard yet."""
        return len(self._incoming)

    def _heard(self, data: bytes, sender: int | None, receiver: int | None) -> bytes:
        """Bytes as they come out of a UART that may run at another speed than the sender's."""
        if not sender or not receiver or sender == receiver:
            return data
        return self._fault_injector.garble(data, receiver / sender)
