# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Stalls of each wheel: the flag changes during a stall, as the firmware cuts the power and tries again."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...protocol import Sip
from ..component import Component, Context

#: s without the flag after which a stall is over.
PAUSE = 2.0


@dataclass(slots=True)
class Stall:
    """The stalls of one wheel."""

    count: int = 0  #: since the driver was started
    since: float = math.inf  #: s, start of the current stall; inf: there is none
    last: float = -math.inf  #: s, the newest packet with the flag

    @property
    def duration(self) -> float | None:
        """Time in s that the current stall lasts; None: no stall."""
        return self.last - self.since if self.since < math.inf else None


class StallMonitor(Component):
    """Monitors the two stall flags; `wheels` has the stalls by the name of the wheel."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.wheels = {"left": Stall(), "right": Stall()}
        context.on_packet(Sip, self._on_sip)

    def on_session_start(self, now: float) -> None:
        """End the stalls of the session before."""
        for stall in self.wheels.values():
            stall.since = math.inf

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        for stall, stalled in zip(self.wheels.values(), (sip.left_stalled, sip.right_stalled), strict=True):
            if stalled:
                stall.last = now
                if stall.since == math.inf:
                    stall.since = now
                    stall.count += 1
            elif now - stall.last > PAUSE:
                stall.since = math.inf
