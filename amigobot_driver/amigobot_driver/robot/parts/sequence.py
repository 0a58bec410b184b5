"""The order in which the sonars fire (POLLING, PROTOCOL 8.6): no packet reports it, the pings themselves confirm it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Command, Instruction, Packet, Sip, Unlisted
from ..events import Event
from ..feature import Feature
from ..outcome import Outcome, Waiting

#: s of pings that are looked at after a try: more than the longest cycle, 16 sonars of 50 ms.
WATCH = 1.0
TRIES = 4
#: Sonars of one array, and numbers that its sequence takes.
ARRAY = 8
LONGEST = 16


class SonarSequence(Feature):
    """Which sonars fire; `wanted` has numbers from 0, None leaves the robot's own."""

    def __init__(self) -> None:
        self.wanted: tuple[int, ...] | None = None
        self._resent = 0
        self._tries = 0
        self._next_try = math.inf
        self._seen: set[int] = set()
        self._arrays = 1
        self._silenced: set[int] = set()  #: arrays that were switched off, as nothing of them is in the sequence
        self._firing = False  #: as the SIP says
        self._waiting = Waiting()

    def want(self, sonars: tuple[int, ...], available: int, now: float) -> Future[Outcome]:
        """Ask for a sequence out of `available` sonars. Raises ValueError for numbers that are not there."""
        if not sonars:
            raise ValueError("a sonar sequence has at least one entry")
        if wrong := [number for number in sonars if not 0 <= number < available]:
            raise ValueError(f"sonar {wrong[0]} is not there, this robot has 0 to {available - 1}")
        for array in {_array(number) for number in sonars}:
            if (count := sum(_array(number) == array for number in sonars)) > LONGEST:
                raise ValueError(f"a sonar sequence has up to {LONGEST} entries for each array of {ARRAY}, not {count}")
        self._waiting.finish(False, "another sequence was asked for")
        self.wanted, self._arrays = sonars, _array(available - 1)
        self._try_from(now)
        return self._waiting.add()

    def adopt(self, sonars: tuple[int, ...], available: int) -> None:
        """The sequence to begin with, unless another was asked for since; what is not there is left out."""
        kept: list[int] = []
        for number in sonars:
            if number < available and sum(_array(other) == _array(number) for other in kept) < LONGEST:
                kept.append(number)
        self.wanted, self._arrays = self.wanted or tuple(kept) or None, _array(available - 1)

    def begin(self, now: float) -> None:
        self._silenced, self._firing = set(), False
        if self.wanted is not None:
            self._try_from(now)

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._waiting.finish(False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            self._firing = packet.sonar_enabled
        # What fired in the first half of the watch may have been on its way when POLLING was sent.
        if isinstance(packet, Sip) and self.wanted and self._next_try - WATCH / 2 < now < self._next_try:
            self._seen |= {reading.number for reading in packet.sonar}
        return self._waiting.notices()

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try or self.wanted is None:
            return
        if self._tries and self._seen and self._seen <= set(self.wanted):
            self._next_try = math.inf
            self._waiting.finish(True, _firing(self._seen))
            return
        if self._tries == TRIES:
            self._next_try = math.inf
            told = _firing(self._seen) if self._seen else "no sonar fires: are they switched on?"
            self._waiting.give_up(f"sent POLLING {TRIES} times, {told}")
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + WATCH
        self._seen = set()
        yield Command.POLLING(bytes(number + 1 for number in self.wanted))
        yield from self._switch_arrays(self.wanted)

    def _switch_arrays(self, wanted: tuple[int, ...]) -> Iterator[Instruction]:
        """An array of which nothing is in the sequence keeps its old one (ARCOS manual), so it is switched off.

        SONAR names an array in the bits above its switch.
        """
        for array in range(1, self._arrays + 1):
            if all(_array(number) != array for number in wanted):
                self._silenced.add(array)
                yield Command.SONAR(array << 1)
            elif array in self._silenced and self._firing:
                self._silenced.remove(array)
                yield Command.SONAR(array << 1 | 1)

    def sent(self, instruction: Instruction | Unlisted, now: float) -> None:
        if self._silenced and instruction == Command.SONAR(1):
            # That has switched on all of them.
            self._try_from(now)

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {"sonar_sequence_resent": self._resent, "sonar_sequence_given_up": self._waiting.given_up}

    def _try_from(self, now: float) -> None:
        self._tries = 0
        self._next_try = now


def _array(number: int) -> int:
    """The array of a sonar, counted from 1."""
    return number // ARRAY + 1


def _firing(numbers: set[int]) -> str:
    shown = ", ".join(map(str, sorted(numbers)))
    return f"sonar {shown} fires" if len(numbers) == 1 else f"sonars {shown} fire"
