"""The docking mechanism of a Pioneer: CHARGE, and what the SIP says of charging (PROTOCOL 4.1, 5.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Command, Instruction, Packet, Sip
from ..events import Event
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s between two tries, and how many: the mechanism takes its time until it feels the dock.
RETRY = 1.0
TRIES = 5


class Charger(Feature):
    """An order lasts no longer than its session: a robot that comes back does not reach for a dock by itself."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self._out = False
        self._tries = self._resent = 0
        self._next_try = math.inf
        self._waiting = Waiting()

    def want(self, out: bool, now: float) -> Future[Outcome]:
        """Reach for the dock, or draw back; the future ends when the SIP shows that the robot charges, or does not."""
        if why := self._lacks(Command.CHARGE):
            return finished(False, why)
        self._waiting.finish(False, "another order came in between")
        self._out, self._tries, self._next_try = out, 0, now
        return self._waiting.add()

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._waiting.finish(False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        # A packet that was on its way before anything was sent shows nothing.
        if isinstance(packet, Sip) and self._tries and self._next_try < math.inf and packet.charging is self._out:
            self._next_try = math.inf
            self._waiting.finish(True, f"the robot reports: {packet.charge_name}")
        yield from self._waiting.notices()

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try:
            return
        order = Command.CHARGE(int(self._out))
        if self._tries == TRIES:
            self._next_try = math.inf
            does = "does not charge: is it in front of its dock?" if self._out else "goes on charging"
            self._waiting.give_up(f"sent {order} {TRIES} times in {TRIES * RETRY:.0f} s, the robot {does}")
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        yield order

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {"charger_resent": self._resent, "charger_given_up": self._waiting.given_up}
