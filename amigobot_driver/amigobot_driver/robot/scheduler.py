# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The deadlines of one robot: a heap of timers, so that the writer thread can sleep until the earliest.

A component creates its timers once and sets, moves and cancels them as it needs:

    self._retry = scheduler.timer(self._send_again)
    self._retry.set(now + 0.3)

Nothing here reads a clock: the owner of the clock calls `run` when `next_time` has come, or at any time before that.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator

Callback = Callable[[float], object]


class Timer:
    """One deadline. Its callback gets the time in s; a timer that has run is idle until it is set again."""

    __slots__ = ("_callback", "_heap", "_order", "entry", "time")

    def __init__(self, heap: list[tuple[float, int, Timer]], order: Iterator[int], callback: Callback) -> None:
        self.time = math.inf  #: s, when the callback is due; inf while the timer is idle
        self.entry = 0  #: number of its entry in the heap, 0 while it has none; other entries of it are outdated
        self._heap, self._order = heap, order
        self._callback = callback

    @property
    def pending(self) -> bool:
        """Whether the timer is set."""
        return self.time < math.inf

    def set(self, time: float) -> None:
        """Call the callback at `time` (s), and not at a time set before."""
        if time != self.time:
            self.time = time
            self.entry = next(self._order) if time < math.inf else 0
            if self.entry:
                heapq.heappush(self._heap, (time, self.entry, self))

    def cancel(self) -> None:
        """Do not call the callback."""
        self.time, self.entry = math.inf, 0

    def run(self, now: float) -> None:
        """Call the callback at `now` (s)."""
        self.time, self.entry = math.inf, 0
        self._callback(now)


class Scheduler:
    """Every timer of one robot. Of timers that are due at the same time, the one that was set first runs first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = itertools.count(1)

    def timer(self, callback: Callback) -> Timer:
        """Return a new timer, which is idle.

        Args:
            callback: is called with the current time (s) when the timer is due.
        """
        return Timer(self._heap, self._order, callback)

    def next_time(self) -> float:
        """Return the time (s) of the earliest deadline; inf if there is none."""
        heap = self._heap
        # A timer that was moved or canceled leaves its old entry behind.
        while heap and heap[0][2].entry != heap[0][1]:
            heapq.heappop(heap)
        return heap[0][0] if heap else math.inf

    def run(self, now: float, ready: Callable[[], bool] = lambda: True) -> None:
        """Run the timers that are due at `now` (s) while `ready` returns True; the rest stays due.

        A timer that a callback sets to a time in the past runs in the next call: no callback can keep this one running
        without end.
        """
        heap, due = self._heap, []
        while heap and heap[0][0] <= now:
            due.append(heapq.heappop(heap))
        for index, (_, entry, timer) in enumerate(due):
            if timer.entry != entry:
                continue
            if not ready():
                for left in due[index:]:
                    heapq.heappush(heap, left)
                return
            timer.run(now)
