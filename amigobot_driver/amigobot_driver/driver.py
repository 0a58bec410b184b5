"""Joins one `Robot` and one port: the threads, the lock and the real clock are here and nowhere else.

The reader thread blocks on the port and delivers events; the writer thread sleeps until something is due, and never
waits for whoever hears the events. A wish that can go out at once is written by the thread that makes it, so a
velocity waits for nobody.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from .robot import BaudChange, Event, Notice, Robot
from .transport import Port, PortError, open_port

#: s a read may block; what happened without any bytes, such as silence, is noticed at most this much later.
_READ_TIMEOUT = 0.25
#: s between two tries to open the port: first, and at most.
RETRY_FIRST, RETRY_MOST = 0.25, 1.0
#: After CLOSE the robot must fall silent for this long (s); otherwise CLOSE again, this often.
_QUIET, _CLOSE_TRIES = 0.25, 3


#: Seconds that count on while the computer sleeps: a request from before that is old afterwards. A function without a
#: frame of Python's own, as it is called for every frame and packet.
boot_time: Callable[[], float] = partial(time.clock_gettime, time.CLOCK_BOOTTIME)


class Driver:
    """Runs a robot on a port for ever: opens it, reopens it, and tells `listener` all events from its reader thread.

    `listener` is called in the order of the events, without the lock held; it must not raise.
    Use `with driver.robot() as robot:` for wishes.
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
        #: set when a thread has died of a bug; the robot has been stopped then
        self.failed = threading.Event()
        self._robot = robot
        self._listener = listener
        self._opener = opener
        self._port: Port | None = None
        self._why = ""
        self._changed = threading.Condition(threading.RLock())
        self._events: deque[Event] = deque()
        self._wake_at = math.inf
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"amigobot-{name}", daemon=True)
            for name, work in (("reader", self._read_for_ever), ("writer", self._write_for_ever))
        ]

    def start(self) -> None:
        """Begin; returns at once, whether there is a robot or not."""
        for thread in self._threads:
            thread.start()

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """The robot, locked. What the block asks for is written before this returns, if it is due."""
        with self._changed:
            yield self._robot
            self._pump()

    def close(self) -> None:
        """Stop the robot, end its session, release the port. May be called twice."""
        if self._stopping.is_set():
            return
        self._hang_up()
        self._release()
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(2.0)

    # -- reading ----------------------------------------------------------------------------------------------

    def _read_for_ever(self) -> None:
        delay = RETRY_FIRST
        while not self._stopping.is_set():
            try:
                port = self._opener(self.url, self._robot.baud)
            except PortError as error:
                self._happened(partial(self._robot.link.disconnected, str(error)))
                self._stopping.wait(delay)
                delay = min(2 * delay, RETRY_MOST)
                continue
            delay = RETRY_FIRST
            self._read_until_gone(port)
            self._stopping.wait(delay)

    def _read_until_gone(self, port: Port) -> None:
        with self._changed:
            self._port, self._why = port, ""
            if port.name != self.url:
                self._events.append(Notice(f"{self.url}: opened {port.name}", trouble=False))
        self._happened(partial(self._robot.link.connected, port.byte_time, self._robot.baud))
        try:
            while not self._stopping.is_set():
                self._read_once(port)
        except PortError as error:
            with self._changed:
                self._port = None
            if not self._stopping.is_set():
                self._happened(partial(self._robot.link.disconnected, self._why or str(error)))
        # Not in a finally: after a bug the port is still needed, to stop the robot.
        port.close()

    def _read_once(self, port: Port) -> None:
        """Read what has arrived. Once a SIP is overdue, tell the robot that everything until then has been read."""
        began = self.clock()
        overdue = began >= self._robot.link.read_deadline
        data = port.read(0.0 if overdue else _READ_TIMEOUT)
        # Before any lock is taken: waiting for one must not show in the stamps.
        arrived = self.clock()
        if data:
            self._happened(partial(self._robot.link.receive, data, arrived=arrived))
        if overdue:
            self._happened(partial(self._robot.link.drained, began))
        self._tell()

    def _happened(self, what: Callable[[float], list[Event]]) -> None:
        """Let the robot take something in, write what that makes due, tell the listener."""
        with self._changed:
            self._take_in(what(self.clock()))
            self._pump()
        self._tell()

    # -- writing ----------------------------------------------------------------------------------------------

    def _write_for_ever(self) -> None:
        while not self._stopping.is_set():
            with self._changed:
                self._take_in(self._robot.link.poll(self.clock()))
                self._pump()
                self._wake_at = self._robot.link.next_time()
                # Bounded, because a clock that is not the real one may be injected.
                self._changed.wait(max(0.0, min(self._wake_at - self.clock(), _READ_TIMEOUT)))
                self._wake_at = math.inf

    def _pump(self) -> None:
        """Write every frame that is due, and let the writer know when the next one will be."""
        try:
            while self._port and (frame := self._robot.link.take(self.clock())):
                self._port.write(frame)
        except PortError as error:
            self._break(error)
        if self._robot.link.next_time() < self._wake_at:
            self._changed.notify_all()

    def _hang_up(self) -> None:
        """Say goodbye, and again while the robot still talks."""
        with self._changed:
            for _ in range(_CLOSE_TRIES):
                self._robot.link.close()
                self._pump()
                while self._port and self._robot.link.next_time() < math.inf:
                    self._changed.wait(_QUIET / 10)
                    self._pump()
                heard = self._robot.link.packets.standard
                self._wait_quiet()
                if self._robot.link.packets.standard == heard:
                    return

    def _wait_quiet(self) -> None:
        until = time.monotonic() + _QUIET
        while self._port and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)

    # -- both -------------------------------------------------------------------------------------------------

    def _take_in(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, BaudChange):
                self._set_baud(event.baud)
            else:
                self._events.append(event)

    def _set_baud(self, baud: int) -> None:
        if self._port:
            try:
                self._port.set_baud(baud)
            except PortError as error:
                self._break(error)
            else:
                self._robot.link.set_byte_time(self._port.byte_time)

    def _break(self, error: PortError) -> None:
        """A write failed: closing the port makes the reader notice, and tell."""
        self._why = str(error)
        if self._port:
            self._port.close()
            self._port = None

    def _tell(self) -> None:
        while self._events:
            self._listener(self._events.popleft())

    def _guarded(self, work: Callable[[], None]) -> None:
        """No bug may leave a robot driving: whatever happens, say goodbye to it first."""
        try:
            work()
        except BaseException:
            try:
                self._hang_up()
            finally:
                self.failed.set()
                self._release()
            raise

    def _release(self) -> None:
        """Let go of the port and end the threads."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
            if self._port:
                self._port.close()
