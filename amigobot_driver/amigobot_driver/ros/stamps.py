# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Conversion of times of the driver's clock to ROS stamps."""

from __future__ import annotations

from collections.abc import Callable
from time import time_ns
from typing import Protocol

from builtin_interfaces.msg import Time as TimeMsg
from rclpy.clock import ROSClock

#: How far (ns) the offset between the clocks may change before the stamps follow.
_MAX_CHANGE = 10**6


class Stamps(Protocol):
    """Source of ROS stamps, in ns."""

    def of(self, time: float) -> int:
        """Return the stamp (ns) of a time of the driver's clock (s)."""

    def now(self) -> int:
        """Return the stamp (ns) of the present."""


class NodeTime:
    """Stamps of the node's clock, while the driver runs on another clock.

    The offset between the two clocks is cached until it changes. A thread may be suspended between reading one clock
    and the other, so a fresh offset for every stamp would give one instant several stamps.
    """

    def __init__(self, ros: ROSClock, clock: Callable[[], float]) -> None:
        self._ros = ros
        self._clock = clock
        self._offset = 0

    def of(self, time: float) -> int:
        """Return the stamp (ns) of a driver time (s); 0 before simulated time starts."""
        before = self._clock()
        now = self.now()
        if not now:
            return 0
        waited = self._clock() - before
        offset = now - round(before * 1e9)
        if abs(offset - self._offset) > _MAX_CHANGE + round(waited * 1e9):
            self._offset = offset
        return max(0, self._offset + round(time * 1e9))

    def now(self) -> int:
        """Return the stamp (ns) of the present."""
        # Without simulated time the clock of ROS is that of the computer, which answers 30 us faster.
        return self._ros.now().nanoseconds if self._ros.ros_time_is_active else time_ns()


def message(nanoseconds: int) -> TimeMsg:
    """Return a stamp in ns as a message."""
    return TimeMsg(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
