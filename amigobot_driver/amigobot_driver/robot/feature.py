"""The parts a robot is made of, beside its drive: each asks for something and hears the answer (DESIGN 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..protocol import Instruction, Packet, Unlisted
from .events import Event


class Feature:
    """One part. `Robot` calls these in turn; a part overrides what concerns it. Times are s of the robot's clock."""

    #: Whether `due` waits until few routine commands wait. Not where a time-out must take effect on time.
    needs_room = True

    def begin(self, now: float) -> None:
        """A session has been opened: the robot may have forgotten whatever was set."""

    def end(self, why: str) -> None:
        """The session is over: whoever waits for an answer is told so. Wishes stay, for the next session."""

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        """A packet came in during a session; yields what is worth telling."""
        yield from ()

    def due(self, now: float) -> Iterator[Instruction]:
        """What is to be sent now, as routine.

        Called only while the queue has room, so all that it gives is sent; what is due meanwhile must stay due.
        """
        yield from ()

    def sent(self, instruction: Instruction | Unlisted, now: float) -> None:
        """An instruction, of whomever, goes out on the line."""

    def next_time(self) -> float:
        """When `due` has something to give, inf while all is as wanted."""
        return math.inf

    def expire(self, now: float) -> None:
        """Without a session: fail the requests whose time is over, where some outlive a session."""

    def expires_at(self) -> float:
        """When `expire` has something to do, inf where no request outlives a session."""
        return math.inf

    def counters(self) -> Mapping[str, int]:
        """How often it sent again or gave up, under names that say who and what: "motors_resent"."""
        return {}
