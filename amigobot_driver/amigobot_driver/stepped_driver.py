# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Connects one `Robot` with a line that never waits, on a clock that its owner advances.

It does what `driver.py` does for a port, without threads, locks and real time. A `Simulator` is such a line:

    driver = SteppedDriver(Robot(Options()), build_simulator({}), print)
    driver.advance(driver.now + 2.0)
    driver.robot.motion.drive(0.2, 0.0, driver.now)
    driver.advance(driver.now + 1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from .robot import BaudChange, Event, ModemCall
from .robot.link import RobotLink

INSTANT = 1e-9  # s, tolerance for rounding: times computed in different ways differ in their last bits


class Line(Protocol):
    """The robot's end of the serial line. All times in s on the owner's clock; no method waits."""

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes; 0 for no time, None if the line has no known speed."""

    @property
    def unplugged(self) -> bool:
        """Whether the port is missing."""

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the driver."""

    def transmit(self, now: float) -> bytes:
        """Return the bytes that have reached the driver since the last call."""

    def next_event(self, now: float) -> float:
        """Return when `transmit` may next have bytes or `unplugged` may change."""

    def set_client_baud(self, baud: int) -> None:
        """Set the speed of the driver's port in baud."""


class Linked(Protocol):
    """What the driver of a line needs of a robot: a `Robot`, or a client that measures."""

    link: RobotLink

    @property
    def baud(self) -> int:
        """The likely line speed."""


AnyRobot = TypeVar("AnyRobot", bound=Linked)


class SteppedDriver(Generic[AnyRobot]):
    """Runs a robot on a line, one instant after the other. All times in s.

    After a request to `robot`, call `write` to send the frame that is due at once; otherwise the next step sends it.

    Args:
        robot: The core of the driver; may be replaced.
        line: The other end; may be replaced.
        listener: Called with each event, in order.
        url: Name of the port, for messages.
        now: Time at the start.
        check_baud: Tell the line the speed of the port. Without it the line understands every speed.
    """

    def __init__(
        self,
        robot: AnyRobot,
        line: Line,
        listener: Callable[[Event], None],
        *,
        url: str = "sim://",
        now: float = 0.0,
        check_baud: bool = False,
    ) -> None:
        self.robot, self.line, self.now = robot, line, now
        self.plugged = False  #: whether the port is open
        self._listener, self._url, self._check_baud = listener, url, check_baud

    def advance(self, until: float, stop: Callable[[], object] = lambda: False) -> bool:
        """Execute everything that is due until a time, or until a condition holds.

        Args:
            until: Time in s.
            stop: Checked after each step.

        Returns:
            Whether the condition holds.
        """
        while True:
            self.step()
            if stop():
                return True
            due = self.next_time()
            if due > until:
                self.now = max(self.now, until)
                return False
            self.now = max(self.now + INSTANT, due)

    def next_time(self) -> float:
        """Return when the next step is due, if the line receives nothing before."""
        link = self.robot.link
        return min(link.next_time(), link.read_deadline, self.line.next_event(self.now))

    def step(self) -> None:
        """Execute what is due now: plug, read, check the deadlines and write."""
        data = self.line.transmit(self.now)
        if self.line.unplugged == self.plugged:
            self.plug(not self.plugged)
        link = self.robot.link
        if data and self.plugged:
            self.emit(link.receive(data, self.now))
        if self.now >= link.read_deadline:
            self.emit(link.drained(self.now, self.now))
        if link.next_time() <= self.now:
            self.emit(link.poll(self.now))
        self.write()

    def run(self, until: float) -> None:
        """Execute what is due, go on to what is due next, at most to a time (s), and execute that."""
        self.step()
        self.wait(min(self.next_time(), until))
        self.step()

    def wait(self, until: float) -> None:
        """Go on to a time (s)."""
        self.now = max(self.now + INSTANT, until)

    def clock(self) -> float:
        """Return the time in s."""
        return self.now

    def plug(self, on: bool) -> None:
        """Open or lose the port."""
        self.plugged = on
        link, baud = self.robot.link, self.robot.baud
        if on:
            self._set_baud(baud)
            self.emit(link.connected(self.line.byte_time, baud, self.now))
        else:
            self.emit(link.disconnected(f"{self._url}: the port has disappeared", self.now))

    def write(self) -> None:
        """Send the frames that are due."""
        while (frame := self.robot.link.take(self.now)) is not None:
            if self.plugged:
                self.line.receive(frame, self.now)

    def emit(self, events: list[Event]) -> None:
        """Execute what the link asks of its port, and pass all other events to the listener."""
        for event in events:
            if isinstance(event, BaudChange):
                self._set_baud(event.baud)
                self.robot.link.set_byte_time(self.line.byte_time)
            elif isinstance(event, ModemCall):
                if self.plugged:
                    self.line.receive(event.data, self.now)
            else:
                self._listener(event)
        self.write()

    def _set_baud(self, baud: int) -> None:
        if self._check_baud:
            self.line.set_client_baud(baud)


class WaitingLine(Line, Protocol):
    """A line on a clock that goes on by itself."""

    name: str  #: of the port

    def wait(self, until: float) -> None:
        """Wait for bytes, at most until a time (s)."""


class WaitingDriver(SteppedDriver[AnyRobot]):
    """Runs a robot in the thread of the caller, on the clock of the line: `amigobot doctor` and `amigobot verify`.

    Args:
        robot: What it runs.
        line: The other end.
        listener: Called with each event, in order.
        clock: Returns the time in s, as that of the line.
    """

    def __init__(
        self, robot: AnyRobot, line: WaitingLine, listener: Callable[[Event], None], clock: Callable[[], float]
    ) -> None:
        super().__init__(robot, line, listener, url=line.name, now=clock(), check_baud=True)
        self._wait, self._clock = line.wait, clock

    def run(self, until: float) -> None:
        """Execute what is due, wait for bytes or for what is due next, at most until a time (s), and execute that."""
        self.now = self._clock()
        super().run(until)

    def wait(self, until: float) -> None:
        """Wait for bytes, at most until a time (s)."""
        self._wait(until)
        self.now = self._clock()

    def clock(self) -> float:
        """Return the time in s."""
        return self._clock()
