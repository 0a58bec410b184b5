# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sends the velocities of the browser that drives to the robot, and brakes when they stop coming.

Its owner calls `step` some times a second. If it does not, the driver stops the robot after its own time-out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ..state import Remote

#: s without a velocity from the holder of control after which the robot is stopped.
SILENCE = 0.3
_MIN_BRAKING = 0.3  # s that braking lasts at least; until its end the emergency stop is latched
_MAX_BRAKING = 1.5  # s that it lasts at most


class Pilot:
    """Drives a robot for the browser that holds control. No method waits.

    Args:
        remote: The robot.
        notify: Called with a line for the log.
        clock: Returns s.
    """

    def __init__(
        self, remote: Remote, notify: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.note = ""  #: why the robot does not drive as asked; "" if it does
        self._remote = remote
        self._notify = notify
        self._clock = clock
        self._expires = math.inf  #: s, when the robot is stopped unless another velocity comes
        self._braking_since = math.inf
        self._held = ""  #: why no browser may drive now; "" if one may

    @property
    def driving(self) -> bool:
        """Whether the newest velocity is not zero and has not expired."""
        return self._expires < math.inf

    @property
    def braking(self) -> bool:
        """Whether the emergency stop is latched only until the robot is at rest."""
        return self._braking_since < math.inf

    def step(self) -> None:
        """Stop the robot if its velocity has expired, and end a braking when it is at rest."""
        if self._clock() >= self._expires:
            self.brake(f"no message from the browser for {SILENCE:g} s")
        since = self._clock() - self._braking_since
        if since >= _MIN_BRAKING and (since >= _MAX_BRAKING or self._remote.state().at_rest):
            self._braking_since, self.note = math.inf, ""
            self._perform(self._remote.clear_emergency_stop)

    def drive(self, linear: float, angular: float) -> None:
        """Request a velocity (m/s, rad/s), which expires after `SILENCE`."""
        if self.braking or self._held:
            self.note = self._held or "braking"
            return
        moving = bool(linear or angular)
        self._expires = self._clock() + SILENCE if moving else math.inf
        self._perform(lambda: self._send(linear, angular))

    def brake(self, why: str) -> None:
        """Stop with the emergency stop, the hardest braking there is, if a browser drives; it is not latched."""
        if not self.driving:
            return
        self._expires = math.inf
        if not self._remote.state().emergency:
            self._perform(self._remote.emergency_stop)
            self._braking_since = self._clock()
        self._notify(f"stopped: {why}")

    def stop(self) -> None:
        """Stop with the normal deceleration."""
        self._expires = math.inf
        self._perform(self._remote.stop)

    def emergency_stop(self) -> None:
        """Brake, and refuse to drive until the stop is cleared."""
        self._expires = self._braking_since = math.inf  # it stays latched
        self._perform(self._remote.emergency_stop)

    def clear_emergency_stop(self) -> None:
        """Accept velocities again."""
        self._expires = math.inf
        self._perform(self._remote.clear_emergency_stop)

    def hold(self, why: str) -> None:
        """Stop the robot, and refuse to drive until `release`; `why` is the note meanwhile."""
        self._held = why
        self.stop()

    def release(self) -> None:
        """Let browsers drive again."""
        self._held = self.note = ""

    def _send(self, linear: float, angular: float) -> None:
        refused = self._remote.drive(linear, angular)
        self.note = refused if linear or angular else ""

    def _perform(self, call: Callable[[], None]) -> None:
        """Call something; an error is reported, and the robot is still stopped later."""
        try:
            call()
        except Exception as error:
            self._notify(f"{type(error).__name__}: {error}")
