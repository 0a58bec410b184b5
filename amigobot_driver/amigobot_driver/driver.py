# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Connects one `Robot` with one port. This module has the threads, the lock and the real clock of the driver.

The reader thread blocks on the port and delivers events to the listener. The writer thread sleeps until a frame is due;
it never waits for the listener. The thread that makes a request also writes it if it is due, so a velocity needs no
thread switch.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from .connection_policy import CLOSE_SILENCE, CLOSE_TRIES, READ_TIMEOUT, open_backoff
from .robot import BaudChange, Event, ModemCall, Notice, Robot
from .transport import Port, PortError, open_port

#: s that the writer thread sleeps at most before a deadline, because an injected clock may run at another speed.
_LONGEST_SLEEP = 1.0
_CHECK_PERIOD = 0.05  #: s between two checks of a condition, besides those after each packet
#: s that `close` waits for each thread: the reader may wait for a TCP peer that does not answer.
_JOIN_TIMEOUT = 0.25
#: s. Counts during suspend, so requests from before a suspend are old afterwards: on Linux only CLOCK_BOOTTIME does, on
#: macOS the monotonic clock. A partial, not a function of our own: it is called several times for every frame.
boot_time: Callable[[], float] = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Driver:
    """Runs a robot on a port: opens the port, reopens it after a loss, and passes all events to a listener.

    Use `with driver.robot() as robot:` to make requests.

    Args:
        robot: The core of the driver.
        url: Port, see `transport.open_port`.
        listener: Called with each event, in order, from the reader thread, without the lock. It must not raise.
        clock: Returns seconds; must be monotonic.
        opener: Opens the port from URL and line speed (baud).
    """

    def __init__(
        self,
        robot: Robot,
        url: str,
        listener: Callable[[Event], None],
        *,
        clock: Callable[[], float] = boot_time,
        opener: Callable[[str, int], Port] = open_port,
    ) -> None:
        self.url = url
        self.clock = clock
        #: set when an exception has ended a thread; the driver has stopped the robot
        self.failed = threading.Event()
        self._robot = robot
        self._listener = listener
        self._opener = opener
        self._port: Port | None = None
        self._error = ""
        self._changed = threading.Condition(threading.RLock())
        self._events: deque[Event] = deque()
        self._progress = threading.Condition()  #: nothing else is locked while this is held
        self._next_time = -math.inf  #: s, when the link has something to do; kept up to date by `_write_due`
        self._wake_at = math.inf  #: s, until when the writer thread sleeps; inf while it is awake
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._guarded, args=(loop,), name=f"amigobot-{name}", daemon=True)
            for name, loop in (("reader", self._reader_loop), ("writer", self._writer_loop))
        ]

    def start(self) -> None:
        """Start the threads. Returns at once, with or without a robot."""
        for thread in self._threads:
            thread.start()

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """Lock the robot for a `with` block. A frame that is due is written when the block ends."""
        with self._changed:
            try:
                yield self._robot
            finally:
                # Also after a refusal: the writer thread sleeps without end while it knows of no deadline.
                self._write_due()

    def wait(self, condition: Callable[[], object], timeout: float) -> bool:
        """Wait until a condition holds. It is checked after each packet, and 20 times a second.

        Args:
            condition: Called without a lock; may raise.
            timeout: Seconds to wait at most.

        Returns:
            Whether it holds.
        """
        end = time.monotonic() + timeout
        while not condition():
            if (remaining := end - time.monotonic()) <= 0:
                return False
            with self._progress:
                self._progress.wait(min(remaining, _CHECK_PERIOD))
        return True

    def wake(self) -> None:
        """Wake the threads in `wait`, which then check their conditions."""
        with self._progress:
            self._progress.notify_all()

    def close(self) -> None:
        """Stop the robot, close its session and the port. May be called twice."""
        if self._stopping.is_set():
            return
        self._close_session()
        self._release()
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(_JOIN_TIMEOUT)

    # -- reading ----------------------------------------------------------------------------------------------

    def _reader_loop(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                port = self._opener(self.url, self._robot.baud)
            except PortError as error:
                self._update(partial(self._robot.link.disconnected, str(error)))
                self._stopping.wait(open_backoff(failures))
                failures += 1
                continue
            failures = 0
            self._read_until_lost(port)
            self._stopping.wait(open_backoff(failures))

    def _read_until_lost(self, port: Port) -> None:
        with self._changed:
            self._port, self._error = port, ""
            if port.name != self.url:
                self._events.append(Notice(f"{self.url}: opened {port.name}", trouble=False))
        self._update(partial(self._robot.link.connected, port.byte_time, self._robot.baud))
        try:
            while not self._stopping.is_set():
                self._read_once(port)
        except PortError as error:
            self._update(partial(self._lose_port, error))
        # Not in a finally clause: after an unexpected exception the port is still needed to stop the robot.
        port.close()

    def _lose_port(self, error: PortError, now: float) -> list[Event]:
        """Tell the link in one step that there is no port: until then frames that cannot leave may wait."""
        self._port, reason, self._error = None, self._error or str(error), ""
        return [] if self._stopping.is_set() else self._robot.link.disconnected(reason, now)

    def _read_once(self, port: Port) -> None:
        """Read what has arrived. If a SIP is overdue, confirm to the link that all bytes until then have been read."""
        began = self.clock()
        overdue = began >= self._robot.link.read_deadline
        data = port.read(0.0 if overdue else READ_TIMEOUT)
        # Before taking the lock: waiting for it must not delay the stamps.
        arrived = self.clock()
        if data:
            self._update(lambda now: self._robot.link.receive(data, now, arrived))
        if overdue:
            self._update(partial(self._robot.link.drained, began))
        elif not data:
            self._deliver_events()

    def _update(self, change: Callable[[float], list[Event]]) -> None:
        """Update the robot, write the frame that is due, and deliver the events."""
        with self._changed:
            self._collect(change(self.clock()))
            self._write_due()
        self._deliver_events()

    # -- writing ----------------------------------------------------------------------------------------------

    def _writer_loop(self) -> None:
        while not self._stopping.is_set():
            with self._changed:
                if self._next_time <= self.clock():
                    self._collect(self._robot.link.poll(self.clock()))
                    self._write_due()
                self._wake_at = self._next_time
                remaining = self._wake_at - self.clock()
                self._changed.wait(max(0.0, min(remaining, _LONGEST_SLEEP)) if remaining < math.inf else None)
                self._wake_at = math.inf

    def _write_due(self) -> None:
        """Write the frame that is due, and wake the writer if the next one is due earlier than it knows."""
        link = self._robot.link
        if self._port and (frame := link.take(self.clock())):
            self._write(frame)
        # After a failed write nothing can leave until the reader has noticed.
        self._next_time = math.inf if self._error else link.next_time()
        if self._next_time < self._wake_at:
            self._changed.notify_all()

    def _close_session(self) -> None:
        """Send the shutdown sequence; repeat it while the robot still sends packets."""
        with self._changed:
            for _ in range(CLOSE_TRIES):
                if not self._robot.link.close():
                    return
                self._write_due()
                while self._port and self._robot.queue.next_time() < math.inf:
                    self._changed.wait(CLOSE_SILENCE / 10)
                    self._write_due()
                received = self._robot.link.packets.standard
                self._wait_quiet()
                if self._robot.link.packets.standard == received:
                    return

    def _wait_quiet(self) -> None:
        until = time.monotonic() + CLOSE_SILENCE
        while self._port and (remaining := until - time.monotonic()) > 0:
            self._changed.wait(remaining)

    # -- both -------------------------------------------------------------------------------------------------

    def _collect(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, BaudChange):
                self._set_baud(event.baud)
            elif isinstance(event, ModemCall):
                self._write(event.data)
            else:
                self._events.append(event)

    def _set_baud(self, baud: int) -> None:
        if self._port:
            try:
                self._port.set_baud(baud)
            except PortError as error:
                self._write_failed(error)
            else:
                self._robot.link.set_byte_time(self._port.byte_time)

    def _write(self, data: bytes) -> None:
        if self._port:
            try:
                self._port.write(data)
            except PortError as error:
                self._write_failed(error)

    def _write_failed(self, error: PortError) -> None:
        """Close the port after a failed write: the read of the reader thread then fails, and it reports the loss."""
        self._error = str(error)
        if self._port:
            self._port.close()
            self._port = None

    def _deliver_events(self) -> None:
        events = self._events
        while events:
            self._listener(events.popleft())
        self.wake()

    def _guarded(self, loop: Callable[[], None]) -> None:
        """Run a thread; after any exception stop the robot before the thread ends."""
        try:
            loop()
        except BaseException:
            try:
                self._close_session()
            finally:
                self.failed.set()
                self._release()
            raise

    def _release(self) -> None:
        """Close the port and end the threads."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
            if self._port:
                self._port.close()
