# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The deadlines of one robot, so that the writer thread can sleep until the earliest.

A component creates its timers once and sets, moves and cancels them as it needs:

    self._retry = scheduler.timer(self._send_again)
    self._retry.set(now + 0.3)

Nothing here reads a clock: the owner of the clock calls `run` when `next_time` has come, or at any time before that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Callback = Callable[[float], object]


class Timer:
    """One deadline. Its callback gets the time in s; a timer that has run is idle until it is set again."""

    __slots__ = ("_callback", "time")

    def __init__(self, callback: Callback) -> None:
        self.time = math.inf  #: s, when the callback is due; inf while the timer is idle
        self._callback = callback

    @property
    def pending(self) -> bool:
        """Whether the timer is set."""
        return self.time < math.inf

    def set(self, time: float) -> None:
        """Call the callback at `time` (s), and not at a time set before."""
        self.time = time

    def cancel(self) -> None:
        """Do not call the callback."""
        self.time = math.inf

    def is_due(self, now: float) -> bool:
        """Return whether the callback is due at `now` (s)."""
        return self.time <= now and self.pending

    def run(self, now: float) -> None:
        """Call the callback at `now` (s)."""
        self.time = math.inf
        self._callback(now)


class Scheduler:
    """Every timer of one robot, some dozens. Of timers that are due at the same time, the first made runs first."""

    def __init__(self) -> None:
        self._timers: list[Timer] = []

    def timer(self, callback: Callback) -> Timer:
        """Return a new timer, which is idle.

        Args:
            callback: is called with the current time (s) when the timer is due.
        """
        self._timers.append(Timer(callback))
        return self._timers[-1]

    def next_time(self) -> float:
        """Return the time (s) of the earliest deadline; inf if there is none."""
        return min([timer.time for timer in self._timers], default=math.inf)

    def run(self, now: float, ready: Callable[[], bool] = lambda: True) -> None:
        """Run the timers that are due at `now` (s) while `ready` returns True; the rest stays due.

        Each runs once at most: no callback can keep this one running without end.
        """
        for timer in sorted([timer for timer in self._timers if timer.is_due(now)], key=lambda timer: timer.time):
            if timer.is_due(now) and ready():
                timer.run(now)
