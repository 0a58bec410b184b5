"""Times of the driver's clock as stamps of ROS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from builtin_interfaces.msg import Time as TimeMsg

from ..replay import Replay

#: ns that two clocks may have parted before the stamps follow.
_APART = 10**6


class Stamps(Protocol):
    """Both in ns."""

    def of(self, time: float) -> int:
        """The stamp of a time of the driver's clock (s)."""

    def now(self) -> int:
        """The stamp of what happens now."""


class NodeTime:
    """Stamps of a node's clock, while the driver runs on another one.

    How far the two are apart is kept until it changes: the readings themselves differ by as long as a thread waits
    between them, and would give one instant several stamps.
    """

    def __init__(self, ros: Callable[[], int], clock: Callable[[], float]) -> None:
        self._ros = ros
        self._clock = clock
        self._apart = 0

    def of(self, time: float) -> int:
        """Zero while simulated time has not begun."""
        before = self._clock()
        now = self._ros()
        if not now:
            return 0
        waited = self._clock() - before
        apart = now - round(before * 1e9)
        if abs(apart - self._apart) > _APART + round(waited * 1e9):
            self._apart = apart
        return max(0, self._apart + round(time * 1e9))

    def now(self) -> int:
        return self._ros()


class RecordedTime:
    """The stamps of a recording that is replayed."""

    def __init__(self, replay: Replay) -> None:
        self.of = replay.recorded
        self._clock = replay.clock

    def now(self) -> int:
        return self.of(self._clock())


def message(nanoseconds: int) -> TimeMsg:
    return TimeMsg(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
