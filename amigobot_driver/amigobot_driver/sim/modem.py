"""A radio modem on the client's side of the line: text until it is told to call the robot (docs/protocol.md 3.7).

ARIA writes the command `WMS2` before its handshake; the texts are those that it looks for. No manual of the modem is at
hand, so the times are guessed.
"""

from __future__ import annotations

import math

#: Command that calls the modem of the robot, and s until it is connected.
CALL = b"WMS2"
_CALLING = 0.5
#: s of silence of the client after which the modem says why it passes nothing.
_EXPLAINS = 0.2
_LONGEST = 80


class RadioModem:
    """Passes bytes only while it is connected."""

    def __init__(self) -> None:
        self.connected = False
        self._command = b""
        self._says: list[tuple[float, bytes]] = []  #: texts, and when they are said (s)

    @property
    def next_text(self) -> float:
        """When the modem says something next (s); inf for never."""
        return min((time for time, _ in self._says), default=math.inf)

    def to_robot(self, data: bytes, now: float) -> bytes:
        """Return the bytes of the client that reach the robot."""
        if self.connected or not data:
            return data if self.connected else b""
        *commands, self._command = (self._command + data).split(b"\r")
        self._command = self._command[-_LONGEST:]
        if any(command.strip().endswith(CALL) for command in commands):
            self._says = [(now, b"\r\nConnecting..."), (now + _CALLING, b"\r\nConnected to address 2\r\n")]
        elif not self._says:
            self._says = [(now + _EXPLAINS, b"\r\nPartner not found!\r\n")]
        return b""

    def to_client(self, data: bytes, now: float) -> bytes:
        """Return what reaches the client: bytes of the robot, or texts of the modem."""
        passed = data if self.connected else b""
        said = [text for time, text in self._says if time <= now]
        self._says = [(time, text) for time, text in self._says if time > now]
        self.connected = self.connected or any(text.startswith(b"\r\nConnected") for text in said)
        return b"".join(said) + passed
