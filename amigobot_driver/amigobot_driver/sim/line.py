# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial line between robot and client: bytes take time, and the SIP is sent first (docs/protocol 8.3).

Frames from the firmware wait in a queue. A SIP overtakes all frames that are not on the wire yet; a streamed packet
that would not be complete before the next cycle is dropped.
"""

from __future__ import annotations

import math
from collections import deque
from enum import Enum, auto

from ..protocol import BITS_PER_BYTE
from .faults import FaultInjector

#: bytes that the receiving UART collects before it delivers them
_FIFO = 14
#: bytes that may wait on the robot's side; frames beyond that are dropped, answers included. A SIP passes
#: the others, so only SIPs count for it
_QUEUE = 1024


class SendPriority(Enum):
    """Treatment of a packet while the line is busy."""

    SIP = auto()  #: is sent first
    ANSWER = auto()  #: waits for the line
    STREAM = auto()  #: is dropped if it does not fit into the cycle


class SimulatedLine:
    """Both directions of the line. All times in s on the caller's clock."""

    def __init__(self, fault_injector: FaultInjector, *, paced: bool, delay: float = 0.0) -> None:
        """Start at 9600 baud.

        Args:
            fault_injector: Corrupts, loses and delays bytes and packets.
            paced: Whether bytes take time.
            delay: s by which the robot receives everything later.
        """
        #: speed of the client's port in baud; None: ignored
        self.client_baud: int | None = None
        self.interrupted = False  #: the fault `silence`: no byte passes in either direction
        self._fault_injector = fault_injector
        self._paced, self._delay = paced, delay
        self._sips: deque[bytes] = deque()
        self._others: deque[bytes] = deque()
        self._free_at = -math.inf
        self._outgoing: deque[tuple[float, bytes]] = deque()
        self._incoming: deque[tuple[float, bytes]] = deque()
        self._incoming_free_at = -math.inf
        self.set_baud(9600)

    def set_baud(self, baud: int) -> None:
        """Set the speed in baud for everything that is not on the wire yet."""
        self.baud = baud
        self.byte_time = BITS_PER_BYTE / baud if self._paced else 0.0

    # --- robot to client -----------------------------------------------------------------------------------

    def send(self, frame: bytes, priority: SendPriority, now: float, deadline: float = math.inf) -> None:
        """Send or queue a frame to the client.

        Args:
            frame: The frame.
            priority: Its place in the queue.
            now: Time in s.
            deadline: Time in s before which a STREAM must be complete; otherwise it is dropped.
        """
        self._advance(now)
        ahead = self._sips if priority is SendPriority.SIP else (*self._sips, *self._others)
        size = sum(map(len, ahead)) + len(frame)
        through = max(now, self._free_at) + size * self.byte_time
        if size > _QUEUE or (priority is SendPriority.STREAM and through > deadline):
            return
        if self._free_at <= now:
            self._put_on_wire(frame, now)
        else:
            (self._sips if priority is SendPriority.SIP else self._others).append(frame)

    def completion_time(self, size: int, now: float) -> float:
        """Return when `size` more bytes with the priority of a SIP, sent at `now`, are complete."""
        self._advance(now)
        return max(now, self._free_at) + (sum(map(len, self._sips)) + size) * self.byte_time

    def collect(self, now: float) -> bytes:
        """Return the bytes that have reached the client by `now` since the last call."""
        self._advance(now)
        ready = bytearray()
        while self._outgoing and self._outgoing[0][0] <= now:
            ready += self._outgoing.popleft()[1]
        return bytes(ready)

    @property
    def next_arrival(self) -> float:
        """When the client may receive the next bytes that are queued or on the wire; inf for never."""
        waiting = self._free_at if self._sips or self._others else math.inf
        return min(waiting, self._outgoing[0][0]) if self._outgoing else waiting

    def discard_queued(self) -> None:
        """Discard the queued frames; the frame on the wire is completed."""
        self._sips.clear()
        self._others.clear()

    def _advance(self, now: float) -> None:
        """Put waiting frames on the wire, each right after the one before."""
        while self._free_at <= now and (self._sips or self._others):
            self._put_on_wire((self._sips or self._others).popleft(), self._free_at)

    def _put_on_wire(self, frame: bytes, start: float) -> None:
        self._free_at = start + len(frame) * self.byte_time
        if self._fault_injector.loses_packet() or self.interrupted:
            return
        delay = self._fault_injector.delay()
        for at in range(0, len(frame), _FIFO):
            chunk = frame[at : at + _FIFO]
            arrival = start + (at + len(chunk)) * self.byte_time + delay
            received = self._as_received(self._fault_injector.corrupt(chunk), self.baud, self.client_baud)
            self._outgoing.append((arrival, received))

    # --- client to robot -----------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """Put the client's bytes on the wire at `now`."""
        if data and not self.interrupted:
            data = self._as_received(self._fault_injector.corrupt(data), self.client_baud, self.baud)
            # Behind the bytes that are still in transit.
            start = max(now + self._delay + self._fault_injector.delay(), self._incoming_free_at)
            self._incoming.append((start, data))
            self._incoming_free_at = start + len(data) * self.byte_time

    def take_received(self, now: float) -> tuple[bytes, float]:
        """Return the bytes that reached the robot before `now` since the last call.

        Args:
            now: Time in s.

        Returns:
            The bytes, and when the last of them arrived.
        """
        arrived, last = bytearray(), now
        while self._incoming and self._incoming[0][0] < now:
            start, data = self._incoming.popleft()
            count = len(data)
            if self.byte_time:
                count = min(count, math.ceil((now - start) / self.byte_time) - 1)
            arrived += data[:count]
            last = start + count * self.byte_time
            if count < len(data):
                self._incoming.appendleft((last, data[count:]))
                break
        return bytes(arrived), last

    @property
    def bytes_in_transit(self) -> int:
        """Number of the client's bytes that have not reached the robot yet."""
        return sum(len(data) for _, data in self._incoming)

    def _as_received(self, data: bytes, sender: int | None, receiver: int | None) -> bytes:
        """Return the bytes from a UART that may run at another speed than the sender."""
        if not sender or not receiver or sender == receiver:
            return data
        return self._fault_injector.garble(data, receiver / sender)
