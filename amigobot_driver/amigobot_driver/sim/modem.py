# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A radio modem on the client's side of the line: text until a command calls the robot (docs/protocol 3.7).

ARIA writes the command `WMS2` before its handshake; the texts are those that it looks for. No manual of the modem is at
hand, so the times are guessed.
"""

from __future__ import annotations

import math

_CALL = b"WMS2"  # command that calls the modem of the robot
_CONNECT_TIME = 0.5  # s from the call to the connection
_ERROR_DELAY = 0.2  # s from the first other bytes of the client to the text that reports no connection
_MAX_COMMAND = 80  # bytes that it keeps of a command


class RadioModem:
    """Passes bytes only while it is connected."""

    def __init__(self) -> None:
        self.connected = False
        self._command = b""
        self._scheduled: list[tuple[float, bytes]] = []  #: the time (s) at which each text is sent, and the text

    @property
    def next_text_due(self) -> float:
        """Time of the next text (s); inf for never."""
        return min((time for time, _ in self._scheduled), default=math.inf)

    def to_robot(self, data: bytes, now: float) -> bytes:
        """Return the bytes of the client that reach the robot."""
        if self.connected or not data:
            return data if self.connected else b""
        *commands, self._command = (self._command + data).split(b"\r")
        self._command = self._command[-_MAX_COMMAND:]
        if any(command.strip().endswith(_CALL) for command in commands):
            self._scheduled = [(now, b"\r\nConnecting..."), (now + _CONNECT_TIME, b"\r\nConnected to address 2\r\n")]
        elif not self._scheduled:
            self._scheduled = [(now + _ERROR_DELAY, b"\r\nPartner not found!\r\n")]
        return b""

    def to_client(self, data: bytes, now: float) -> bytes:
        """Return what reaches the client: bytes of the robot, or texts of the modem."""
        passed = data if self.connected else b""
        due = [text for time, text in self._scheduled if time <= now]
        self._scheduled = [(time, text) for time, text in self._scheduled if time > now]
        self.connected = self.connected or any(text.startswith(b"\r\nConnected") for text in due)
        return b"".join(due) + passed
