"""How a client gets in: the synchronisation and the states of a session (docs/protocol.md 3.1, 8.2).

WAIT --SYNC0, SYNC1, SYNC2--> SYNCED --OPEN--> OPEN --CLOSE--> WAIT
"""

from __future__ import annotations

from enum import Enum, auto

from ..protocol import Command, Packet, Reset, SyncEcho, SyncReply


class Session(Enum):
    """How far a client has come."""

    WAIT = auto()
    SYNCED = auto()
    OPEN = auto()


#: SYNC0, SYNC1 and SYNC2 have the numbers of PULSE, OPEN and CLOSE: only the state tells them apart.
_SYNCS = (Command.PULSE.number, Command.OPEN.number, Command.CLOSE.number)


class Handshake:
    """The state, and the answers up to OPEN. What happens in an open session is not decided here."""

    def __init__(self, identity: SyncReply) -> None:
        self._identity = identity
        self.state = Session.WAIT
        self._expected = 0

    def close(self) -> None:
        """Back to the beginning."""
        self.state = Session.WAIT
        self._expected = 0

    def take(self, number: int) -> Packet | None:
        """A packet that begins with `number` came; the answer, where there is one."""
        if self.state is Session.WAIT:
            return self._synchronise(number)
        if self.state is Session.SYNCED and number == Command.OPEN.number:
            self.state = Session.OPEN
        elif self.state is Session.SYNCED and number == Command.CLOSE.number:
            self.close()
        return None

    def _synchronise(self, number: int) -> Packet | None:
        if number not in _SYNCS:
            return None
        if number not in (0, self._expected):
            self._expected = 0
            return Reset()
        self._expected = number + 1
        if number < 2:
            return SyncEcho(id=number)
        self.state = Session.SYNCED
        return self._identity
