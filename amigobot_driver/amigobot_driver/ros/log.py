"""Says each thing once, then rarely: a robot that is switched off must not fill a disk."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

#: s before the same thing may be said again.
INTERVAL = 30.0


class Once:
    """Remembers what was said and when."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def due(self, what: str) -> bool:
        """Whether to say `what` now: a line, or a key for lines that differ only in a value."""
        now = self._clock()
        if now - self._said.get(what, -math.inf) < INTERVAL:
            return False
        self._said = {key: said for key, said in self._said.items() if now - said < INTERVAL}
        self._said[what] = now
        return True
