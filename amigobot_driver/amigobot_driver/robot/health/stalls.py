"""Which wheel stalls, and since when: the flag comes and goes, as the firmware cuts the power and tries again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...protocol import Packet, Sip
from ..events import Event
from ..feature import Feature

#: s without the flag after which a stall is over.
PAUSE = 2.0


@dataclass(slots=True)
class Stall:
    """What is known of one wheel."""

    count: int = 0
    since: float = math.inf  #: s, the begin of the stall that goes on; inf: the wheel turns
    last: float = -math.inf  #: s, the newest packet with the flag

    def see(self, flag: bool, now: float) -> None:
        """What a packet says."""
        if flag:
            self.last = now
            if math.isinf(self.since):
                self.since = now
                self.count += 1
        elif now - self.last > PAUSE:
            self.since = math.inf


class Stalls(Feature):
    """Watches the two stall flags."""

    def __init__(self) -> None:
        self.left, self.right = Stall(), Stall()
        self._now = -math.inf

    def begin(self, now: float) -> None:
        self.left.since = self.right.since = math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            self._now = now
            self.left.see(packet.left_stalled, now)
            self.right.see(packet.right_stalled, now)
        yield from ()

    @property
    def going_on(self) -> dict[str, float]:
        """The wheels that stall, and for how long they have, s."""
        sides = (("left", self.left), ("right", self.right))
        return {name: self._now - stall.since for name, stall in sides if stall.since < math.inf}
