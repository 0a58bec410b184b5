# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A real robot at a serial port of the browser: the page has the port, and passes bytes to this worker and back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

from amigobot_driver.doctor import Kind, Target
from amigobot_driver.protocol import BITS_PER_BYTE, Command
from amigobot_driver.robot import Event, Robot

from ..dashboard.sources.paced import PacedDriver
from ..dashboard.sources.source import Result
from ..dashboard.sources.stepped import SteppedSource
from .task import Task

#: Frames that the page itself sends when this worker has ended; the first one also when it is blocked.
SHUTDOWN = tuple(command.encode() for command in (Command.STOP(), Command.ENABLE(0), Command.CLOSE()))


class SerialLine:
    """The robot's end of the line. The task may wait there.

    Args:
        post: Called with the kind of a message for the page and its content: `write` (bytes), `baud` (number).
        task: Waits for bytes.
    """

    name = "Web Serial"

    def __init__(self, post: Callable[[str, object], None], task: Task) -> None:
        self.unplugged = False
        self.byte_time: float | None = None
        self._post, self._task = post, task
        self._received = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes of the robot."""
        self._received += data

    def receive(self, data: bytes, now: float) -> None:
        """Send bytes to the robot."""
        self._post("write", data)

    def transmit(self, now: float) -> bytes:
        """Return the bytes that have arrived since the last call."""
        data = bytes(self._received)
        self._received.clear()
        return data

    def next_event(self, now: float) -> float:
        """Return now if there are bytes, otherwise never."""
        return now if self._received else math.inf

    def set_client_baud(self, baud: int) -> None:
        """Open the port at another speed."""
        self.byte_time = BITS_PER_BYTE / baud
        self._post("baud", baud)

    def wait(self, until: float) -> None:
        """Suspend the task until bytes arrive or the port is lost, at most until a time (s)."""
        self._task.wait(lambda: self.unplugged or self._received, until - time.monotonic(), time.monotonic)


class SerialDriver(PacedDriver):
    """Runs a robot on the real clock. Only a task waits for it.

    Args:
        robot: The core of the driver.
        url: Name of the port, for messages.
        listener: Called with each event, in order.
        line: The robot's end.
        task: What may wait.
    """

    _late = math.inf  # a real robot does not wait

    def __init__(
        self, robot: Robot, url: str, listener: Callable[[Event], None], *, line: SerialLine, task: Task
    ) -> None:
        super().__init__(robot, url, listener, line=line, check_baud=True)
        self._task = task

    def wait(self, condition: Callable[[], object], timeout: float) -> bool:
        """Suspend the task until a condition holds, at most some seconds. Return whether it holds."""
        return self._task.wait(condition, timeout, self.clock)

    def _finish(self) -> None:
        if self._task.current:  # otherwise the page has ended the session: it closes the port
            super()._finish()


class SerialSource(SteppedSource):
    """The robot at the port."""

    def __init__(self, line: SerialLine, task: Task) -> None:
        self._task = task
        target = Target(line.name, line.name, Kind.SERIAL)
        super().__init__(target, partial(SerialDriver, line=line, task=task))

    async def perform(self, call: Callable[[], Result]) -> Result:
        """Call something as the task."""
        return await self._task.start(call)
