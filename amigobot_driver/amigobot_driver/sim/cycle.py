"""The rhythm in which a controller sends by itself."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from ..protocol import Packet, encode_frame
from .line import Line, Priority


class Cycle(ABC):
    """Sends the packets of each cycle when it is time, and others in between. Times are in s."""

    def __init__(self, line: Line, encode: Callable[[bytes], bytes] = encode_frame) -> None:
        self._line = line
        self._encode = encode
        self._next = math.inf

    def start(self, now: float) -> None:
        """The first cycle begins at once."""
        self._next = now

    def stop(self) -> None:
        """Nothing more, from now on."""
        self._next = math.inf
        self._line.silence()

    @property
    def next_due(self) -> float:
        """When the next cycle begins; inf while there is none."""
        return self._next

    def step(self, now: float) -> None:
        """Send what is due."""
        if now < self._next - 1e-9:
            return
        self._next = now + self._period()
        for packet, priority in self._packets():
            self.send(packet, priority, now)

    def send(self, packet: Packet, priority: Priority, now: float) -> None:
        """Put a packet on the line."""
        self._line.send(self._encode(packet.encode()), priority, now, self._next)

    @abstractmethod
    def _period(self) -> float:
        """From this cycle to the next."""

    @abstractmethod
    def _packets(self) -> Iterator[tuple[Packet, Priority]]:
        """What this cycle sends, in order."""


def signed(value: int, bits: int) -> int:
    """A counter as it stands in a packet: of so many bits, two's complement."""
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
