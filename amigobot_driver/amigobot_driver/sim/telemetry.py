# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Periodic transmission of packets, shared by all simulated controllers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from ..protocol import OVERHEAD, Packet, encode_frame
from .line import SendPriority, SimulatedLine


class Telemetry(ABC):
    """Sends the packets of each cycle when it is due, and answers in between. All times in s."""

    def __init__(self, line: SimulatedLine, encode: Callable[[bytes], bytes] = encode_frame) -> None:
        """Start without a cycle.

        Args:
            line: Serial line to the client.
            encode: Makes the frame of a packet's data.
        """
        self._line = line
        self._encode = encode
        self._next = math.inf

    def start(self, now: float) -> None:
        """Begin the first cycle at `now`."""
        self._next = now

    def stop(self) -> None:
        """Stop sending and discard the frames that wait for the line."""
        self._next = math.inf
        self._line.discard_queued()

    @property
    def next_due(self) -> float:
        """When the next cycle begins; inf while telemetry is stopped."""
        return self._next

    def step(self, now: float) -> None:
        """Send the packets of a cycle if one is due at `now`."""
        if now < self._next - 1e-9:
            return
        self._next = now + self._period()
        for packet, priority in self._packets():
            self.send(packet, priority, now)

    def send(self, packet: Packet, priority: SendPriority, now: float) -> None:
        """Put a packet on the line.

        Args:
            packet: What to send.
            priority: Its place among the frames that wait for the line.
            now: Time in s.
        """
        self._line.send(self._encode(packet.encode()), priority, now, self._next)

    @abstractmethod
    def _period(self) -> float:
        """Return the seconds from this cycle to the next."""

    def _fits(self, now: float, packet: Packet, sip: Packet) -> bool:
        """Return whether a packet and the SIP behind it, sent at `now`, are complete before the next cycle."""
        size = sum(len(each.encode()) + OVERHEAD for each in (packet, sip))
        return self._line.through(size, now) <= self._next

    @abstractmethod
    def _packets(self) -> Iterator[tuple[Packet, SendPriority]]:
        """Yield what this cycle sends, in order."""


def signed(value: int, bits: int) -> int:
    """Wrap a counter to two's complement.

    Args:
        value: Counter of any size.
        bits: Size of the field in the packet.

    Returns:
        The value of the field, -2^(bits-1) to 2^(bits-1) - 1.
    """
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
