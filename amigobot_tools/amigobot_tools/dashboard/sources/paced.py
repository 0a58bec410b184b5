# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A driver without threads, with the interface of `amigobot_driver.driver.Driver`: its owner calls `step`.

Time passes as the real clock says, or for a simulated robot slower, faster or not at all. The result is the same at any
speed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

from amigobot_driver.robot import Event, Robot
from amigobot_driver.stepped_driver import Line, SteppedDriver

from ..messages import Between

_START = 1000.0  # s on the driver's clock
Speed = Annotated[float, Between(0.1, 50)]  # simulated seconds per second
_SLICE = 0.02  # s of real time that a step may take
CLOSING = 1.0  # s that the end of the session may take
_MEASURED = 1.0  # s of real time over which the speed is measured


class PacedDriver:
    """A robot on a line, stepped by its owner.

    A request that waits lets the simulation run ahead of the real clock, and takes no real time.

    Args:
        robot: The core of the driver.
        url: Name of the port, for messages.
        listener: Called with each event, in order.
        line: The other end, such as a simulated robot.
        check_baud: Tell the line the speed of the port.

    Attributes:
        listeners: Called with each event.
        speed: Simulated seconds per second, as requested.
        paused: Whether the simulated time is paused.
        actual_speed: Simulated seconds per second, over the last second.
    """

    _late = 0.25  #: s of real time that the simulation may be late or early; beyond that it is not caught up

    def __init__(
        self, robot: Robot, url: str, listener: Callable[[Event], None], *, line: Line, check_baud: bool = False
    ) -> None:
        self.failed = threading.Event()  #: never set: an exception reaches the owner
        self.listeners = [listener]
        self._driver = SteppedDriver(robot, line, self._publish, url=url, now=_START, check_baud=check_baud)
        self._closed = False
        self.speed = 1.0
        self.paused = False
        self.actual_speed = 1.0
        self._target = _START  #: s, simulated time that it should be
        self._stepped = time.monotonic()  #: s, real time of the last step
        self._measured = self._stepped, _START  #: the same instant in real and in simulated time

    # -- the interface of Driver ------------------------------------------------------------------------------

    def start(self) -> None:
        """Do nothing: the owner calls `step`."""

    def clock(self) -> float:
        """Return the simulated time (s)."""
        return self._driver.now

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """Give the robot to a `with` block. Frames that are due are sent when the block ends."""
        try:
            yield self._driver.robot
        finally:
            self._driver.write()

    def wait(self, condition: Callable[[], object], timeout: float) -> bool:
        """Simulate until a condition holds, at most some seconds. Return whether it holds."""
        return bool(condition()) or self._driver.advance(self._driver.now + timeout, condition)

    def wake(self) -> None:
        """Do nothing: conditions are checked after each step."""

    def close(self) -> None:
        """Stop the robot and close its session. May be called twice."""
        if not self._closed:
            self._driver.robot.link.close()
            self._finish()
            self._closed = True

    def _finish(self) -> None:
        """Send what ends the session."""
        self.wait(lambda: False, CLOSING)

    # -- the clock --------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Simulate up to the time that it should be, or until the step has taken long enough."""
        if self._closed:
            return
        now, simulated, late = time.monotonic(), self._driver.now, self._late * self.speed
        target = self._target + (now - self._stepped) * self.speed
        self._target = simulated if self.paused or abs(target - simulated) > late else target
        self._stepped = now
        self._driver.advance(self._target, lambda: time.monotonic() > now + _SLICE)
        self._measure(now)

    @property
    def elapsed(self) -> float:
        """Simulated seconds since the start, which the windows of faults count from."""
        return self._driver.now - _START

    def _publish(self, event: Event) -> None:
        for listener in tuple(self.listeners):
            listener(event)

    def _measure(self, now: float) -> None:
        real, simulated = self._measured
        if now - real >= _MEASURED:
            self.actual_speed = (self._driver.now - simulated) / (now - real)
            self._measured = now, self._driver.now
