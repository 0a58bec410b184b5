# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Runs a driver and a simulated robot slower or faster than real time, or lets time stand still.

It has the interface of `amigobot_driver.driver.Driver`. One thread advances a `SteppedDriver`, so the result is the
same at any speed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amigobot_driver.robot import Event, Robot
from amigobot_driver.sim import Simulator
from amigobot_driver.stepped_driver import SteppedDriver

_START = 1000.0  # s on the simulator's clock
SLOWEST, FASTEST = 0.1, 50.0  # allowed speeds, simulated seconds per second
_ROUND, _SLICE = 0.005, 0.02  # s of real time between two rounds, and longest duration of a round
_LATE = 0.25  # s of real time that the simulation may be late; what is more is left out
_CLOSING = 1.0  # s of simulated time that the end of the session may take
_MEASURED = 1.0  # s of real time over which the speed is measured


class PacedDriver:
    """A robot whose port is a simulator, on a clock of their own.

    Args:
        robot: The core of the driver.
        url: Name of the port, for messages.
        listener: Called with each event, in order, from the thread, without the lock.
        simulator: The simulated robot.
        beside: Called with the simulated time after each round, with the lock.
    """

    def __init__(
        self,
        robot: Robot,
        url: str,
        listener: Callable[[Event], None],
        *,
        simulator: Simulator,
        beside: Callable[[float], None] = lambda now: None,
    ) -> None:
        self.failed = threading.Event()  #: set when an exception has ended the thread
        self.simulator = simulator
        self._beside, self._listener = beside, listener
        self._events: deque[Event] = deque()
        self._driver = SteppedDriver(robot, simulator, self._events.append, url=url, now=_START)
        self._lock = threading.RLock()
        self._speed = 1.0
        self._paused = False
        self._step = 0.0  #: s to simulate although it is paused
        self._anchor = self._measured = time.monotonic(), _START  #: the same instant in real and in simulated time
        self.actual_speed = 1.0  #: simulated seconds per second, over the last second
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="amigobot-simulation", daemon=True)

    # -- the interface of Driver ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread. Returns at once."""
        self._anchor = self._measured = time.monotonic(), self._driver.now
        self._thread.start()

    def clock(self) -> float:
        """Return the simulated time (s)."""
        return self._driver.now

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """Lock the robot for a `with` block. Frames that are due are sent when the block ends."""
        with self._lock:
            try:
                yield self._driver.robot
            finally:
                self._driver.write()

    def close(self) -> None:
        """Stop the robot and close its session. May be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)
        with self._lock:
            self._driver.robot.link.close()
            self._driver.advance(self._driver.now + _CLOSING)

    # -- the clock --------------------------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Simulated seconds since the start, which the windows of faults count from."""
        return self._driver.now - _START

    @property
    def speed(self) -> float:
        """Requested simulated seconds per second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        with self._lock:
            self._speed, self._anchor = speed, (time.monotonic(), self._driver.now)

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    def pause(self, on: bool) -> None:
        """Let time stand still, or go on."""
        with self._lock:
            self._paused, self._step, self._anchor = on, 0.0, (time.monotonic(), self._driver.now)

    def step(self, seconds: float) -> None:
        """Simulate some seconds while time stands still."""
        with self._lock:
            self._step += seconds

    @contextmanager
    def world(self) -> Iterator[Simulator]:
        """Lock the simulator for a `with` block, to change it."""
        with self._lock:
            yield self.simulator

    # -- the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                with self._lock:
                    self._advance()
                    self._beside(self._driver.now)
                    self._measure()
                while self._events:
                    self._listener(self._events.popleft())
                self._stopping.wait(_ROUND)
        except BaseException:
            self.failed.set()
            raise

    def _advance(self) -> None:
        """Simulate one round: up to the time that it should be, or until the round has lasted long enough."""
        target, end = self._target(), time.monotonic() + _SLICE
        self._driver.advance(target, lambda: time.monotonic() > end)
        if self._paused:
            self._step = max(0.0, target - self._driver.now)

    def _target(self) -> float:
        """Return the simulated time that it should be now."""
        now, simulated_now = time.monotonic(), self._driver.now
        if self._paused:
            return simulated_now + self._step
        real, simulated = self._anchor
        target = simulated + (now - real) * self._speed
        if target - simulated_now > _LATE * self._speed:
            self._anchor = now, simulated_now
            return simulated_now + _ROUND * self._speed
        return target

    def _measure(self) -> None:
        now = time.monotonic()
        real, simulated = self._measured
        if now - real >= _MEASURED:
            self.actual_speed = (self._driver.now - simulated) / (now - real)
            self._measured = now, self._driver.now
