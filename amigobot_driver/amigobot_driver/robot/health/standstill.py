"""A robot that stands although it is driven, where no packet says whether its motors are on (Erratic manual 2.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ...protocol import Packet, Sip
from ..events import Event, Notice
from ..feature import Feature

#: s that a velocity may have no effect.
PATIENCE = 2.0


class Standstill(Feature):
    """Watches the robot while `driven` says that a velocity is wanted."""

    def __init__(self, driven: Callable[[], bool]) -> None:
        self._driven = driven
        self._since = math.inf  #: s, when it should have moved off
        self.obstacle = ""  #: what is wrong, in a sentence; "" while all is well

    def begin(self, now: float) -> None:
        self._since, self.obstacle = math.inf, ""

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if not isinstance(packet, Sip) or packet.REPORTS_MOTORS:
            return
        stalled = packet.left_stalled or packet.right_stalled
        if packet.moving or stalled or not packet.motors_enabled or not self._driven():
            self._since, self.obstacle = math.inf, ""
            return
        self._since = min(self._since, now)
        if now - self._since > PATIENCE and not self.obstacle:
            self.obstacle = f"the robot has not moved for {PATIENCE:.0f} s although it is driven"
            yield Notice(
                f"{self.obstacle}: if the button for its motors was pressed, "
                "call the service enable_motors with data: true"
            )
