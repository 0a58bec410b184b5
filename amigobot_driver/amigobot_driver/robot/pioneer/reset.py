"""RESET: the controller reboots and forgets; the link finds it again by itself (PROTOCOL 4.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Command, Instruction, Packet
from ..events import Event
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s that packets may go on after RESET before it is taken for lost, and how often it is sent.
RETRY = 1.5
TRIES = 3
#: s after the request within which the robot must be connected again.
LIMIT = 60.0


class Reset(Feature):
    """Sends RESET until the session ends; whoever asked hears of it when the next one has begun."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self._tries = self._resent = 0
        self._next_try = self._deadline = math.inf
        self._waiting = Waiting()

    def want(self, now: float) -> Future[Outcome]:
        """Have the controller reset once. The robot must have been told to stop."""
        if why := self._lacks(Command.RESET):
            return finished(False, why)
        self._tries, self._next_try, self._deadline = 0, now, now + LIMIT
        return self._waiting.add()

    def begin(self, now: float) -> None:
        self._deadline = math.inf
        self._waiting.finish(True, "the robot was reset and is connected again")

    def end(self, why: str) -> None:
        # Nobody is told yet, as the end of this session is what was asked for; unless nothing was sent.
        if not self._tries:
            self._waiting.finish(False, why)
        self._tries, self._next_try = 0, math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        return self._waiting.notices()

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try:
            return
        if self._tries == TRIES:
            self._tries, self._next_try = 0, math.inf
            self._waiting.give_up(f"sent {Command.RESET()} {TRIES} times, the robot goes on all the same")
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        yield Command.RESET()

    def next_time(self) -> float:
        return self._next_try

    def expire(self, now: float) -> None:
        if now >= self._deadline:
            self._deadline = math.inf
            why = self._lacks(Command.RESET)
            self._waiting.give_up(f"RESET was sent, and {LIMIT:g} s later the robot is not connected again: {why}")

    def expires_at(self) -> float:
        return self._deadline

    def counters(self) -> Mapping[str, int]:
        return {"reset_resent": self._resent, "reset_given_up": self._waiting.given_up}
