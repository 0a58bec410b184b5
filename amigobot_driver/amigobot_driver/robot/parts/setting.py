"""A switch of the robot that its SIP reports: asked for, sent again until it matches, then followed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Instruction, Packet, Sip
from ..events import Event, Notice
from ..feature import Feature
from ..outcome import Outcome, Waiting

#: Times that something is sent which no packet ever shows.
BLIND = 3
#: s between two tries, and how many: long enough for the next SIP to tell, short enough for a person to wait.
RETRY = 0.3
TRIES = 8


class Setting(Feature):
    """On or off. `name` as a sentence begins: "motors"; `reads` finds the state in a SIP, None where that lacks it."""

    def __init__(self, name: str, on: Instruction, off: Instruction, reads: Callable[[Sip], bool | None]) -> None:
        self.name = name
        self.wanted: bool | None = None  #: None: leave it as it is
        self.reported: bool | None = None  #: None: no SIP yet
        self.resent = 0
        self._instructions = {True: on, False: off}
        self._reads = reads
        self._tries = 0
        self._next_try = math.inf
        self._given_up = False  #: for this session: what is wanted waits for the next one
        self._waiting = Waiting()

    @property
    def coming_on(self) -> bool:
        """Whether it is being switched on and no packet has confirmed that yet."""
        return self.wanted is True and self._next_try < math.inf

    def want(self, value: bool, now: float) -> Future[Outcome]:
        """Ask for a value; the future ends when the robot confirms it, or tells why it does not."""
        self._waiting.finish(False, f"{self.name}: another request came in between")
        self.wanted = value
        self._try_from(now)
        return self._waiting.add()

    def begin(self, now: float) -> None:
        self.reported = None
        if self.wanted is not None:
            self._try_from(now)

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._waiting.finish(False, f"{self.name}: {why}")

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        yield from self._waiting.notices()
        if not isinstance(packet, Sip):
            return
        before, self.reported = self.reported, self._reads(packet)
        pending = self._next_try < math.inf
        if self.reported is None:
            if pending and self._tries >= BLIND and self.wanted is not None:
                self._next_try = math.inf
                told = f"{self.name} {_word(self.wanted)}, sent {BLIND} times; this robot's packets do not tell of them"
                self._waiting.finish(True, told)
            return
        if self.reported == self.wanted:
            self._given_up = False
            # A SIP that was on its way before anything was sent confirms nothing.
            if not pending or self._tries:
                self._next_try = math.inf
                self._waiting.finish(True, f"{self.name} {_word(self.reported)}, confirmed by the robot")
        elif not pending and not self._given_up and self.wanted is not None:
            # Followed, not fought: the MOTORS button is the operator's word.
            self.wanted = self.reported
            if before is not None:
                verb = "were" if self.name.endswith("s") else "was"
                yield Notice(f"the {self.name} {verb} switched {_word(self.reported)} at the robot")

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try or self.wanted is None:
            return
        if self._tries == TRIES:
            self._give_up(self._instructions[self.wanted])
            return
        self.resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        yield self._instructions[self.wanted]

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {f"{self.name}_resent": self.resent, f"{self.name}_given_up": self._waiting.given_up}

    @property
    def obstacle(self) -> str:
        """What the robot does not do although it is wanted, in a sentence; "" while all is well."""
        if not self._given_up or self.wanted is None:
            return ""
        return f"the robot does not switch its {self.name} {_word(self.wanted)}"

    def _give_up(self, sent: Instruction) -> None:
        told = "nothing" if self.reported is None else f"{self.name} {_word(self.reported)}"
        self._next_try = math.inf
        if self._waiting:
            # Who asked is told that it failed, and must not be surprised by a success later on.
            self.wanted = self.reported
        else:
            # A wish from before this session, which a bad link may have swallowed, is one for the next session.
            self._given_up = True
        self._waiting.give_up(f"sent {sent} {TRIES} times in {TRIES * RETRY:.1f} s, the robot reports {told}")

    def _try_from(self, now: float) -> None:
        self._tries, self._given_up = 0, False
        self._next_try = now


def _word(on: bool) -> str:
    return "on" if on else "off"
