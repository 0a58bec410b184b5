# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A line to the robot with a clock: a port in real time, or a simulator on simulated time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from amigobot_driver.sim import Simulator
from amigobot_driver.transport import Port

#: s by which simulated time moves on at least while a client waits
_MIN_STEP = 1e-4


class Line(Protocol):
    """A byte stream and the time, s."""

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes on the line; 0: no time; None: unknown, behind a network connection."""
        ...

    def now(self) -> float:
        """The time in s."""
        ...

    def read(self, timeout: float) -> bytes:
        """Return what arrives within `timeout` s, as soon as anything does."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    def set_baud(self, baud: int) -> None:
        """Change the speed of this side of the line."""
        ...

    def reopen(self) -> None:
        """Open the line again after it was lost."""
        ...


class PortLine:
    """A port in real time.

    Args:
        open_it: Opens the port. The caller closes the line.
    """

    def __init__(self, open_it: Callable[[], Port]) -> None:
        self._open, self._port = open_it, open_it()

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes on the line; None: unknown."""
        return self._port.byte_time

    def now(self) -> float:
        """The time in s."""
        return time.monotonic()

    def read(self, timeout: float) -> bytes:
        """Return what arrives within `timeout` s, as soon as anything does."""
        return self._port.read(max(0.0, timeout))

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._port.write(data)

    def set_baud(self, baud: int) -> None:
        """Change the line speed."""
        self._port.set_baud(baud)

    def reopen(self) -> None:
        """Open the port again after it was lost."""
        self._port.close()
        self._port = self._open()

    def close(self) -> None:
        """Close the port."""
        self._port.close()


class SimulatorLine:
    """A simulator on simulated time: a read jumps to the next event, so minutes pass in seconds.

    Args:
        simulator: The robot.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._now = 0.0
        simulator.advance(0.0)

    @property
    def byte_time(self) -> float:
        """Seconds that one byte takes on the line."""
        return self._simulator.byte_time

    def now(self) -> float:
        """The simulated time in s."""
        return self._now

    def read(self, timeout: float) -> bytes:
        """Return what arrives within `timeout` s of simulated time, as soon as anything does."""
        deadline = self._now + max(0.0, timeout)
        while True:
            data = self._simulator.transmit(self._now)
            if data or self._now >= deadline:
                return data
            soonest = max(self._simulator.next_event(self._now), self._now + _MIN_STEP)
            self._now = min(deadline, soonest)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._simulator.receive(data, self._now)

    def set_baud(self, baud: int) -> None:
        """Have no effect: the simulator listens at any speed."""

    def reopen(self) -> None:
        """Have no effect: the line is never lost."""
