"""The TCM2 compass of a Pioneer: in steps of two degrees in the SIP, or in packets of its own (PROTOCOL 5.10).

The packets are a stream (streams.py). That the heading is to be in the SIP is asked for here until it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from ...protocol import Command, Compass, Instruction, Packet, Sip
from ..events import CompassRead, Event, Notice
from ..feature import Feature

#: s between two tries, and how many.
RETRY = 1.0
TRIES = 5
#: The argument of TCM2.
_OFF, _IN_SIP = 0, 1
#: deg to one unit of the SIP's byte, as ARIA has it; Player takes one unit off first, which is within the step (erratum
#: E-64). Bytes beyond a turn and 0 are no heading.
_STEP, _HIGHEST = 2, 180
#: deg, T and deg C to one unit of the packets.
_TENTH, _FIELD = 0.1, 1e-8


class CompassInSip(Feature):
    """Has the SIP show the compass, from `want` on and in each session to come."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self._wanted = False
        self._tries = self._resent = 0
        self._next_try = math.inf

    def want(self, on: bool, now: float) -> None:
        """Switch it; switching off leaves the compass to the packets, should somebody want those."""
        if on != self._wanted:
            self._wanted, self._tries, self._next_try = on, 0, now

    def begin(self, now: float) -> None:
        self._tries, self._next_try = 0, now if self._wanted else math.inf

    def end(self, why: str) -> None:
        self._next_try = math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if not isinstance(packet, Sip) or not self._wanted or self._lacks(Command.TCM2):
            return
        if packet.compass:
            self._tries, self._next_try = 0, math.inf
        elif self._next_try == math.inf and self._tries < TRIES:
            self._next_try = now
        if self._tries == TRIES and now >= self._next_try:
            self._next_try = math.inf
            yield Notice(f"sent {Command.TCM2(_IN_SIP)} {TRIES} times, the SIP shows no heading: has it a compass?")

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try or self._tries == TRIES:
            return
        if self._lacks(Command.TCM2):
            self._next_try = math.inf
        elif self._wanted:
            self._resent += self._tries > 0
            self._tries += 1
            self._next_try = now + RETRY
            yield Command.TCM2(_IN_SIP)
        else:
            self._next_try = math.inf
            yield Command.TCM2(_OFF)

    def next_time(self) -> float:
        return self._next_try if self._tries < TRIES else math.inf

    def counters(self) -> Mapping[str, int]:
        return {"compass_resent": self._resent}


def perceive(packet: Packet, stamp: float) -> Iterator[Event]:
    """Take a packet with the values of the time `stamp`."""
    if isinstance(packet, Sip):
        if 0 < packet.compass <= _HIGHEST:
            yield CompassRead(stamp, math.radians(_STEP * packet.compass) % math.tau, math.radians(_STEP))
    elif isinstance(packet, Compass):
        heading, pitch, roll = (math.radians(_TENTH * tenths) for tenths in (packet.heading, packet.pitch, packet.roll))
        yield CompassRead(
            stamp,
            heading % math.tau,
            math.radians(_TENTH),
            pitch,
            roll,
            (packet.mag_x * _FIELD, packet.mag_y * _FIELD, packet.mag_z * _FIELD),
            packet.temperature * _TENTH,
            packet.error & 0xFFFF,
        )
