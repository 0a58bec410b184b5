# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The synchronization of a client with an ActivMedia robot (docs/protocol 3.1, 8.2).

WAIT --SYNC0, SYNC1, SYNC2--> SYNCED --OPEN--> OPEN --CLOSE--> WAIT
"""

from __future__ import annotations

from ...protocol import Command, Packet, Reset, SyncEcho, SyncReply
from ..session import SessionState

#: SYNC0, SYNC1 and SYNC2 have the numbers of PULSE, OPEN and CLOSE: only the state distinguishes them.
_SYNCS = (Command.PULSE.number, Command.OPEN.number, Command.CLOSE.number)


class Handshake:
    """State machine of the session and its answers until OPEN; the firmware executes commands after OPEN."""

    def __init__(self, identity: SyncReply) -> None:
        """Start in WAIT.

        Args:
            identity: Answer to SYNC2: the robot's name, class and subclass.
        """
        self._identity = identity
        self.state = SessionState.WAIT
        self._expected = 0

    def close(self) -> None:
        """Return to WAIT."""
        self.state = SessionState.WAIT
        self._expected = 0

    def take(self, number: int) -> Packet | None:
        """Process a packet that arrives before the session is open.

        Args:
            number: First data byte of the packet, the command number.

        Returns:
            The packet to answer with, or None for no answer.
        """
        if self.state is SessionState.WAIT:
            return self._synchronize(number)
        if self.state is SessionState.SYNCED and number == Command.OPEN.number:
            self.state = SessionState.OPEN
        elif self.state is SessionState.SYNCED and number == Command.CLOSE.number:
            self.close()
        return None

    def _synchronize(self, number: int) -> Packet | None:
        if number not in _SYNCS:
            return None
        if number not in (0, self._expected):
            self._expected = 0
            return Reset()
        self._expected = number + 1
        if number < 2:
            return SyncEcho(id=number)
        self.state = SessionState.SYNCED
        return self._identity
