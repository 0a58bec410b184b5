"""A log that says each thing once, then rarely: a robot that is switched off must not fill a disk."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

#: s before the same line is said again.
INTERVAL = 30.0


class QuietLog:
    """Remembers when it said what. `key` names a cause whose wording may vary, such as a value in it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def say(self, write: Callable[[str], object], text: str, key: str = "") -> None:
        """Write the line unless it was written less than INTERVAL ago."""
        now = self._clock()
        if now - self._said.get(key or text, -math.inf) >= INTERVAL:
            self._forget(now)
            self._said[key or text] = now
            write(text)

    def _forget(self, now: float) -> None:
        self._said = {key: said for key, said in self._said.items() if now - said < INTERVAL}
