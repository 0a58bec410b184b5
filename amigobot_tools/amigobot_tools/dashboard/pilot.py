# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sends the velocities of the browser that drives to the robot, and brakes when they stop coming.

A thread of its own: neither a slow port nor a busy web server delays the other, and a web server that hangs does not
keep the robot moving.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ..state import Remote

#: s without a velocity from the holder of control after which the robot is stopped.
SILENCE = 0.3
#: s that braking lasts at least and at most; until then the emergency stop is latched.
_MIN_BRAKING, _MAX_BRAKING = 0.3, 1.5
#: s between two checks whether a braking robot is at rest.
_POLL_PERIOD = 0.05


class Pilot:
    """Drives a robot for the browser that holds control.

    Args:
        remote: The robot.
        notify: Called with a line for the log, from the thread.
        clock: Returns s.
    """

    def __init__(
        self, remote: Remote, notify: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.note = ""  #: why the robot does not drive as asked; "" if it does
        self._remote = remote
        self._notify = notify
        self._clock = clock
        self._changed = threading.Condition()
        self._velocity: tuple[float, float] | None = None  #: newest one that was not sent yet
        self._calls: list[Callable[[], None]] = []
        self._expires = math.inf  #: s, when the robot is stopped unless another velocity comes
        self._braking_since = math.inf
        self._held = ""  #: why no browser may drive now; "" if one may
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="dashboard-pilot", daemon=True)
        self._thread.start()

    @property
    def driving(self) -> bool:
        """Whether the newest velocity is not zero and has not expired."""
        return self._expires < math.inf

    @property
    def braking(self) -> bool:
        """Whether the emergency stop is latched only until the robot is at rest."""
        return self._braking_since < math.inf

    def drive(self, linear: float, angular: float) -> None:
        """Request a velocity (m/s, rad/s), which expires after `SILENCE`. Returns at once."""
        with self._changed:
            if self.braking or self._held:
                self.note = self._held or "braking"
                return
            self._velocity = linear, angular
            self._expires = self._clock() + SILENCE if linear or angular else math.inf
            self._changed.notify()

    def brake(self, why: str) -> None:
        """Stop as fast as the robot can, if a browser drives it. Returns at once; the stop is not latched."""
        with self._changed:
            if self.driving:
                self._forget()
                self._call(lambda: self._brake(why))

    def stop(self) -> None:
        """Stop with the normal deceleration. Returns at once."""
        with self._changed:
            self._forget()
            self._call(self._remote.stop)

    def emergency_stop(self) -> None:
        """Brake, and refuse to drive until the stop is cleared. Returns at once."""
        with self._changed:
            self._forget()
            self._calls.clear()
            self._call(self._latch)

    def clear_emergency_stop(self) -> None:
        """Accept velocities again. Returns at once."""
        with self._changed:
            self._forget()
            self._call(self._remote.clear_emergency_stop)

    @contextmanager
    def holding(self, why: str) -> Iterator[None]:
        """Stop the robot, and refuse to drive during a `with` block; `why` is what the driving person is told."""
        with self._changed:
            self._held = why
        self.stop()
        try:
            yield
        finally:
            with self._changed:
                self._held = self.note = ""

    def close(self) -> None:
        """Stop the robot if a browser drives it, and end the thread."""
        self.brake("the dashboard ends")
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(2.0)

    # -- the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                now = self._clock()
                if not (self._calls or self._velocity or self._closed or now >= self._expires):
                    self._changed.wait(min(self._expires - now, _POLL_PERIOD if self.braking else 1.0))
                expired = self._clock() >= self._expires
                calls, self._calls = self._calls, []
                velocity, self._velocity = self._velocity, None
                if expired:
                    self._forget()
                    velocity = None
                closed = self._closed
            if expired:
                calls.append(partial(self._brake, f"no message from the browser for {SILENCE:g} s"))
            elif velocity:
                calls.append(partial(self._send, *velocity))
            for call in (*calls, self._release):
                self._perform(call)
            if closed and not self.braking:
                return

    def _perform(self, call: Callable[[], None]) -> None:
        """Call something; an error is reported and does not end the thread, which still has to stop the robot."""
        try:
            call()
        except Exception as error:
            self._notify(f"{type(error).__name__}: {error}")

    def _latch(self) -> None:
        with self._changed:
            self._braking_since = math.inf  # it stays latched
        self._remote.emergency_stop()

    def _send(self, linear: float, angular: float) -> None:
        if linear or angular:
            self.note = self._remote.drive(linear, angular)
        else:
            self._remote.drive(0.0, 0.0)
            self.note = ""

    def _brake(self, why: str) -> None:
        """Use the emergency stop, the hardest braking there is, and clear it when the robot is at rest."""
        if not self._remote.state().emergency:
            self._remote.emergency_stop()
            with self._changed:
                self._braking_since = self._clock()
        self._notify(f"stopped: {why}")

    def _release(self) -> None:
        """End the braking when the robot is at rest."""
        since = self._clock() - self._braking_since
        if since < _MIN_BRAKING:
            return
        if since < _MAX_BRAKING and not self._remote.state().at_rest:
            return
        with self._changed:
            if self._braking_since == math.inf:
                return  # an emergency stop was requested meanwhile: it stays latched
            self._braking_since, self.note = math.inf, ""
        self._remote.clear_emergency_stop()

    # -- with the lock ----------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._velocity, self._expires = None, math.inf

    def _call(self, call: Callable[[], None]) -> None:
        self._calls.append(call)
        self._changed.notify()
