# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Runs a driver and a simulated robot on one clock, which can be slower or faster than real time, or stand still.

It has the interface of `amigobot_driver.driver.Driver`. One thread advances both in the order of their events, so the
result is the same at any speed.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amigobot_driver.robot import BaudChange, Event, Robot
from amigobot_driver.sim import Simulator

#: s on the simulator's clock at the start.
START = 1000.0
#: Allowed speeds, in simulated seconds per second.
SLOWEST, FASTEST = 0.1, 50.0
#: s of real time between two rounds of the thread, and how long a round may take until others get the lock.
_ROUND, _SLICE = 0.005, 0.02
#: s of real time that the simulation may be late; what is more is left out, and the simulation is slower than asked.
_LATE = 0.25
#: s, tolerance for rounding: times computed in different ways differ in their last bits.
_INSTANT = 1e-9
#: s of simulated time that the end of the session may take.
_CLOSING = 1.0
#: s of real time over which the speed is measured.
_MEASURED = 1.0


class SteppedDriver:
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
        self.url = url
        self.failed = threading.Event()  #: set when an exception has ended the thread
        self.simulator = simulator
        self._beside = beside
        self._robot = robot
        self._listener = listener
        self._lock = threading.RLock()
        self._now = START
        self._events: deque[Event] = deque()
        self._plugged = False
        self._speed = 1.0
        self._paused = False
        self._step = 0.0  #: s to simulate although it is paused
        self._anchor = time.monotonic(), START  #: the same instant in real and in simulated time
        self._measured = self._anchor
        self.actual_speed = 1.0  #: simulated seconds per second, over the last second
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="amigobot-simulation", daemon=True)

    # -- the interface of Driver ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread. Returns at once."""
        self._anchor = self._measured = time.monotonic(), self._now
        self._thread.start()

    def clock(self) -> float:
        """Return the simulated time (s)."""
        return self._now

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """Lock the robot for a `with` block. Frames that are due are sent when the block ends."""
        with self._lock:
            yield self._robot
            self._send_due()

    def close(self) -> None:
        """Stop the robot and close its session. May be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)
        with self._lock:
            self._robot.link.close()
            self._advance(self._now + _CLOSING, math.inf)

    # -- the clock --------------------------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Simulated seconds since the start, which the windows of faults count from."""
        return self._now - START

    @property
    def speed(self) -> float:
        """Requested simulated seconds per second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"speed is {speed:g}, allowed: {SLOWEST:g} to {FASTEST:g}")
        with self._lock:
            self._speed, self._anchor = speed, (time.monotonic(), self._now)

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    def pause(self, on: bool) -> None:
        """Let time stand still, or go on."""
        with self._lock:
            self._paused, self._step, self._anchor = on, 0.0, (time.monotonic(), self._now)

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
                    self._advance(self._target(), time.monotonic() + _SLICE)
                    self._beside(self._now)
                    self._measure()
                self._deliver()
                self._stopping.wait(_ROUND)
        except BaseException:
            self.failed.set()
            raise

    def _target(self) -> float:
        """Return the simulated time that it should be now."""
        if self._paused:
            step, self._step = self._step, 0.0
            return self._now + step
        now = time.monotonic()
        real, simulated = self._anchor
        target = simulated + (now - real) * self._speed
        if target - self._now > _LATE * self._speed:
            self._anchor = now, self._now
            return self._now + _ROUND * self._speed
        return target

    def _measure(self) -> None:
        now = time.monotonic()
        real, simulated = self._measured
        if now - real >= _MEASURED:
            self.actual_speed = (self._now - simulated) / (now - real)
            self._measured = now, self._now

    def _advance(self, target: float, until: float) -> None:
        """Simulate up to a simulated time, or until a real time (s)."""
        while True:
            self._exchange()
            due = self._next_time()
            if due > target:
                self._now = max(self._now, target)
                return
            self._now = max(self._now + _INSTANT, due)
            if time.monotonic() > until:
                if self._paused:
                    self._step += max(0.0, target - self._now)
                return

    def _next_time(self) -> float:
        link = self._robot.link
        return min(link.next_time(), link.read_deadline, self.simulator.next_event(self._now))

    def _exchange(self) -> None:
        """Everything that happens at this instant."""
        now, link = self._now, self._robot.link
        self.simulator.advance(now)
        if self.simulator.unplugged == self._plugged:
            self._plug(not self._plugged)
        data = self.simulator.transmit(now)
        if data and self._plugged:
            self._collect(link.receive(data, now, arrived=now))
        if now >= link.read_deadline:
            self._collect(link.drained(now, now))
        if link.next_time() <= now:
            self._collect(link.poll(now))
        self._send_due()

    def _plug(self, on: bool) -> None:
        self._plugged = on
        link = self._robot.link
        if on:
            self._collect(link.connected(self.simulator.byte_time, self._robot.baud, self._now))
        else:
            self._collect(link.disconnected(f"{self.url}: the simulated port is unplugged", self._now))

    def _send_due(self) -> None:
        while (frame := self._robot.link.take(self._now)) is not None:
            if self._plugged:
                self.simulator.receive(frame, self._now)

    def _collect(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, BaudChange):
                self._robot.link.set_byte_time(self.simulator.byte_time)
            else:
                self._events.append(event)

    def _deliver(self) -> None:
        while self._events:
            self._listener(self._events.popleft())
