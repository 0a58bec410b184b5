"""Something the robot reports back, such as its motors: asked for, sent again until it matches, then followed."""

from __future__ import annotations

import math
from concurrent.futures import Future
from dataclasses import dataclass

from ..protocol import Instruction

#: s between two tries, and how many: long enough for the next SIP to tell, short enough for a person to wait.
RETRY = 0.3
TRIES = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a request ended, in words for the person who made it."""

    success: bool
    message: str


class Setting:
    """A switch of the robot that shows in its SIP. `name` as a sentence begins: "motors"."""

    def __init__(self, name: str, on: Instruction, off: Instruction) -> None:
        self.name = name
        self.wanted: bool | None = None  #: None: leave it as it is
        self.reported: bool | None = None  #: None: no SIP yet
        self.resent = 0
        self._instructions = {True: on, False: off}
        self._tries = 0
        self._next_try = math.inf
        self._waiting: list[Future[Outcome]] = []

    def want(self, value: bool, now: float) -> Future[Outcome]:
        """Ask for a value; the future ends when the robot confirms it, or tells why it does not."""
        self._finish(False, f"{self.name}: another request came in between")
        self.wanted = value
        future: Future[Outcome] = Future()
        self._waiting.append(future)
        self._try_from(now)
        return future

    def reapply(self, now: float) -> None:
        """The robot may have forgotten: a new session has begun."""
        self.reported = None
        if self.wanted is not None:
            self._try_from(now)

    def observe(self, reported: bool) -> bool:
        """A SIP says how it is; True when the robot, or somebody at its buttons, changed it without being asked."""
        before, self.reported = self.reported, reported
        asked = self._tries > 0 or self._next_try == math.inf
        if reported == self.wanted and asked:
            self._next_try = math.inf
            self._finish(True, f"{self.name} {_word(reported)}, confirmed by the robot")
            return False
        if self._next_try < math.inf or self.wanted is None:
            return False
        # Followed, not fought: the MOTORS button is the operator's word.
        self.wanted = reported
        return before is not None

    def due(self, now: float) -> Instruction | None:
        """What to send now, if anything."""
        if now < self._next_try or self.wanted is None:
            return None
        if self._tries == TRIES:
            self._next_try = math.inf
            told = "nothing" if self.reported is None else f"{self.name} {_word(self.reported)}"
            sent = self._instructions[self.wanted]
            self._finish(False, f"sent {sent} {TRIES} times in {TRIES * RETRY:.1f} s, the robot reports {told}")
            self.wanted = self.reported
            return None
        self.resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        return self._instructions[self.wanted]

    def next_time(self) -> float:
        """When `due` has something to give, inf while all is as wanted."""
        return self._next_try

    def abandon(self, why: str) -> None:
        """There is no robot to ask: whoever waits is told so. The wish itself stays."""
        self._next_try = math.inf
        self._finish(False, f"{self.name}: {why}")

    def _try_from(self, now: float) -> None:
        self._tries = 0
        self._next_try = now

    def _finish(self, success: bool, message: str) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(Outcome(success, message))


def _word(on: bool) -> str:
    return "on" if on else "off"
