# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One connected browser: what it was sent, and what waits for it.

A slow browser gets fewer frames, never a queue of them.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from typing import Any

_MAX_IN_FLIGHT = 2  #: frames that the browser has not acknowledged
_MAX_ANSWERS = 50  #: that wait for a browser; the oldest are dropped if it does not read


class Browser:
    """State of one connection. Everything runs in the loop of the server.

    Args:
        number: Identifies it; numbers are not used again.
        log: Number of the newest log line that it does not need.
        packets: Number of the newest frame on the line that it does not need.
    """

    def __init__(self, number: int, *, log: int = 0, packets: int = 0) -> None:
        self.number = number
        self.log = log
        self.packets = packets
        self.watches_packets = False
        self.plots: tuple[str, ...] = ()  #: names of the values that it plots
        self.plotted = -math.inf  #: s, time of the newest point that it has
        self.sections: dict[str, Any] = {}  #: the sections that it has
        self._answers: deque[str] = deque(maxlen=_MAX_ANSWERS)
        self._woken = asyncio.Event()
        self._due = False
        self._sent = self._acknowledged = 0

    # -- what is sent -----------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Note that there is a new frame."""
        self._due = True
        self._woken.set()

    def reply(self, number: int | None, text: str, *, ok: bool = True) -> None:
        """Answer a request, or a bad message; success is answered only if the request has an id.

        Args:
            number: The id; None without one.
            text: What was done, or what is wrong.
            ok: Whether the request was executed.
        """
        if number is not None or not ok:
            kind = "reply" if ok else "error"
            self._answers.append(json.dumps({"type": kind, "id": number, "ok": ok, "text": text}))
            self._woken.set()

    async def next(self) -> str | None:
        """Wait for something to send; return an answer, or None for the next frame."""
        while True:
            if self._answers:
                return self._answers.popleft()
            if self._due and self._sent - self._acknowledged < _MAX_IN_FLIGHT:
                self._due = False
                return None
            self._woken.clear()
            await self._woken.wait()

    def next_frame(self) -> int:
        """Return the number of the frame that is made now."""
        self._sent += 1
        return self._sent

    # -- what comes -------------------------------------------------------------------------------------------

    def acknowledge(self, number: int) -> None:
        """Note that the browser has drawn this frame and all before it."""
        self._acknowledged = max(self._acknowledged, min(number, self._sent))
        self._woken.set()
