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


class StallMonitor(Component):
    """Monitors the two stall flags."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.left, self.right = Stall(), Stall()
        self._now = -math.inf
        context.on_packet(Sip, self._on_sip)

    def on_session_start(self, now: float) -> None:
        """End the stalls of the session before."""
        self.left.since = self.right.since = math.inf

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        self._now = now
        for stall, stalled in ((self.left, sip.left_stalled), (self.right, sip.right_stalled)):
            if stalled:
                stall.last = now
                if stall.since == math.inf:
                    stall.since = now
                    stall.count += 1
            elif now - stall.last > PAUSE:
                stall.since = math.inf

    @property
    def active(self) -> dict[str, float]:
        """The stalled wheels, and the duration in s."""
        sides = (("left", self.left), ("right", self.right))
        return {name: self._now - stall.since for name, stall in sides if stall.since < math.inf}
