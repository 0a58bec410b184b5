# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The snapshots of the last minute: what the rows of a running driver get."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..robot import RobotSnapshot

#: s, the longest time over which counters are compared.
MINUTE = 60


class History:
    """The snapshots of the last minute, one for each second."""

    def __init__(self) -> None:
        self._snapshots: deque[RobotSnapshot] = deque(maxlen=MINUTE + 1)

    @property
    def history(self) -> History:
        """Itself, as `Evidence` has one."""
        return self

    def add(self, snapshot: RobotSnapshot, seconds: int = 1) -> None:
        """Add the present snapshot for the seconds since the last one."""
        self._snapshots.extend([snapshot] * min(seconds, MINUTE + 1))

    @property
    def now(self) -> RobotSnapshot:
        """The newest snapshot."""
        return self._snapshots[-1]

    def before(self, seconds: int) -> RobotSnapshot:
        """Return the snapshot of some seconds ago, or the oldest one."""
        return self._snapshots[max(-1 - seconds, -len(self._snapshots))]

    def increase(self, counter: Callable[[RobotSnapshot], int], seconds: int = 1) -> int:
        """Return how much a counter has grown in the last seconds; counters start from 0 with the driver."""
        before = counter(self._snapshots[-1 - seconds]) if len(self._snapshots) > seconds else 0
        return counter(self.now) - before
