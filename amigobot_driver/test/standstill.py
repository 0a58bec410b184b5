# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Notes when the machine that runs the tests stood still for a moment.

The driver refuses velocities and goals after its process was suspended, and says so: a user's program sends them
again, and so do the helpers of the tests. What the driver does when it alone is suspended is tested with processes that
the tests suspend.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque

#: s by which a thread that sleeps is woken too late on a busy machine that runs, and the shortest standstill here. The
#: driver takes 1 s for a suspension, but 0.5 s are enough for a velocity to expire.
STANDSTILL = 0.4
#: s after a standstill in which it may still have an effect: for 5 s velocities that come late are refused for 0.5 s.
AFTERMATH = 6.0
_STEP = 0.05


class Meter:
    """Notes when this process stood still."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, float]] = deque(maxlen=1000)
        self._asleep_since = math.inf
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Measure from now on, until this process ends."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="standstill meter", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._asleep_since = time.monotonic()
            time.sleep(_STEP)
            late = time.monotonic() - self._asleep_since - _STEP
            if late > STANDSTILL:
                self._noted.append((self._asleep_since + late + _STEP, late))

    def stood_still(self, since: float) -> float:
        """The longest standstill (s) that ended after this time (s), 0 if there was none."""
        lates = [late for end, late in list(self._noted) if end >= since]
        # After a standstill another thread may run before the one that measures.
        lates.append(time.monotonic() - self._asleep_since - _STEP)
        longest = max(lates)
        return longest if longest > STANDSTILL else 0.0


METER = Meter()
METER.start()
#: What the driver refuses requests with because it stood still, or lost the robot by that; later it accepts them.
_PASSING = ("was suspended", "there is no robot")


def passes(refusal: object) -> bool:
    """Whether a request that was refused with this text, or error, is to be made again.

    The text alone is not enough: a driver that takes itself for suspended on a machine that runs has a bug.
    """
    return any(text in str(refusal) for text in _PASSING) and METER.stood_still(time.monotonic() - AFTERMATH) > 0.0
