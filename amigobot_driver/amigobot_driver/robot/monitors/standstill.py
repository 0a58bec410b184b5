# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Detects a robot that is driven and does not move, if no packet reports its motors (Erratic manual, ch. 2.4)."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...protocol import Sip
from ..component import Component, Context

#: s for which a velocity may have no effect.
STANDSTILL_TIMEOUT = 2.0


class StandstillMonitor(Component):
    """Monitors a robot while a velocity is requested."""

    def __init__(self, context: Context, driven: Callable[[], bool]) -> None:
        """Make a monitor.

        Args:
            context: The robot's.
            driven: Returns whether the wheels should turn.
        """
        super().__init__(context)
        self.problem = ""  #: the fault as a sentence; "" if there is none
        self._driven = driven
        self._since = math.inf  #: s, when the robot should have begun to move
        context.on_packet(Sip, self._on_sip)

    def on_session_start(self, now: float) -> None:
        """Begin to watch again."""
        self._since, self.problem = math.inf, ""

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        if not sip.UNREPORTED & sip.MOTORS:
            return
        stalled = sip.left_stalled or sip.right_stalled
        if sip.moving or stalled or not sip.motors_enabled or not self._driven():
            self._since, self.problem = math.inf, ""
            return
        self._since = min(self._since, now)
        if now - self._since > STANDSTILL_TIMEOUT and not self.problem:
            self.problem = f"the robot has not moved for {STANDSTILL_TIMEOUT:.0f} s although it is driven"
            remedy = self._context.remedies.motors_off
            self._context.notify(f"{self.problem}: if the button for its motors was pressed, {remedy}")
