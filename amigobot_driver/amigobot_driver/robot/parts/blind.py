"""What is asked for and never shown in any packet: sent a few times, as frames get lost, and anew in each session."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...protocol import Instruction
from ..feature import Feature

#: Times that each instruction is sent, and s between two of them.
REPEATS = 3
SPACING = 0.3


@dataclass(slots=True)
class _Wish:
    instruction: Instruction
    left: int = REPEATS
    next_time: float = -math.inf


class Blind(Feature):
    """Of each kind the newest wish holds."""

    def __init__(self) -> None:
        self._wishes: dict[object, _Wish] = {}

    def want(self, kind: object, instruction: Instruction) -> None:
        """Have this from now on; it takes the place of what was wanted of the same kind."""
        self._wishes[kind] = _Wish(instruction)

    def begin(self, now: float) -> None:
        for wish in self._wishes.values():
            wish.left, wish.next_time = REPEATS, now

    def end(self, why: str) -> None:
        for wish in self._wishes.values():
            wish.left = 0

    def due(self, now: float) -> Iterator[Instruction]:
        for wish in self._wishes.values():
            if wish.left and now >= wish.next_time:
                wish.left -= 1
                wish.next_time = now + SPACING
                yield wish.instruction

    def next_time(self) -> float:
        return min((wish.next_time for wish in self._wishes.values() if wish.left), default=math.inf)
