# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Events of the robot as iterators, asyncio iterators and callbacks, each with a queue of limited length.

The driver puts events into the queues and waits for no consumer: a queue that is full loses its oldest event, which is
counted.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import ConnectionLostError
from ..robot import Event, LinkChanged, LinkState, Notice, Received

if TYPE_CHECKING:
    from ..driver import Driver

E = TypeVar("E")

#: s between two checks whether the driver is still alive; an event is delivered without this delay.
_CHECK_PERIOD = 0.25
#: s after which `async for` polls the queue again: a task cannot wait for a thread of the driver.
_POLL_PERIOD = 0.01
#: s that the end of a subscription waits for a call that is running.
_CANCEL_TIMEOUT = 5.0

_log = logging.getLogger("amigobot_driver")


class EventStream(Generic[E]):
    """Events in the order they came: `for event in stream` or `async for event in stream`.

    The iterator ends when the robot is closed. Each time the connection is lost it raises `ConnectionLostError` once,
    unless `LinkChanged` is among its types; the same stream goes on after the reconnect.

    One thread or task may read it.

    Attributes:
        dropped: Events that were lost because the reader was too slow.
        closed: `close` was called.
    """

    def __init__(self, hub: EventHub, kinds: tuple[type[Any], ...], maxlen: int) -> None:
        if maxlen < 1:
            raise ValueError(f"maxlen is {maxlen}, allowed: at least 1")
        self.dropped = 0
        self._hub = hub
        self._kinds = kinds
        self._queue: deque[E | ConnectionLostError] = deque(maxlen=maxlen)
        self._lock = threading.Lock()
        self.closed = False

    def get(self, timeout: float = math.inf) -> E | None:
        """Wait for the next event.

        Args:
            timeout: Seconds to wait at most; 0 does not wait.

        Returns:
            The event, or None if there was none in time or the stream has ended.

        Raises:
            ConnectionLostError: The connection was lost.
        """
        if not self._queue and timeout > 0:
            self._hub.driver.wait(lambda: self._queue or self._has_ended(), timeout)
        with self._lock:
            return self._take() if self._queue else None

    def take_all(self) -> list[E]:
        """Take the events that wait, up to a loss of the connection, without waiting for more.

        Raises:
            ConnectionLostError: The connection was lost before the next event.
        """
        events: list[E] = []
        with self._lock:
            while self._queue and not (events and isinstance(self._queue[0], ConnectionLostError)):
                events.append(self._take())
        return events

    def close(self) -> None:
        """End the stream: the reader gets the events that are in the queue, and no more."""
        self._hub.remove(self)
        self.closed = True
        self._hub.driver.wake()

    def __iter__(self) -> Iterator[E]:
        return self

    def __next__(self) -> E:
        while (event := self.get(_CHECK_PERIOD)) is None:
            if self._has_ended():
                raise StopIteration
        return event

    def __aiter__(self) -> AsyncIterator[E]:
        return self

    async def __anext__(self) -> E:
        import asyncio

        while (event := self.get(0)) is None:
            if self._has_ended():
                raise StopAsyncIteration
            await asyncio.sleep(_POLL_PERIOD)
        return event

    def __enter__(self) -> EventStream[E]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- for EventHub ----------------------------------------------------------------------------------------

    def _put(self, item: Any) -> None:
        """Append an event of the kinds of this stream, or an error, unless it reads the changes of the link itself."""
        if isinstance(item, self._kinds) or (isinstance(item, ConnectionLostError) and LinkChanged not in self._kinds):
            with self._lock:
                self.dropped += len(self._queue) == self._queue.maxlen
                self._queue.append(item)

    # -- the reader's side ------------------------------------------------------------------------------------

    def _has_ended(self) -> bool:
        return self.closed or self._hub.driver.failed.is_set()

    def _take(self) -> E:
        event = self._queue.popleft()
        if isinstance(event, ConnectionLostError):
            raise event
        return event


class Subscription:
    """Calls a function with each event, from a thread of its own: it may take its time and use the robot.

    Ends with `cancel`, with its `with` block, or when the robot is closed.

    An exception in the function ends the subscription and is reported by `threading.excepthook`.
    """

    def __init__(self, callback: Callable[[Any], object], stream: EventStream[Any]) -> None:
        self._callback = callback
        self._stream = stream
        self._thread = threading.Thread(target=self._run, name="amigobot-callback", daemon=True)
        self._thread.start()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *exception: object) -> None:
        self.cancel()

    @property
    def dropped(self) -> int:
        """Events that were lost because the function was too slow."""
        return self._stream.dropped

    def cancel(self) -> None:
        """End the subscription, and wait up to 5 s for a call that is running.

        The function itself may call this: then it returns at once, and the function is not called again.
        """
        self._stream.close()
        if self._thread is not threading.current_thread():
            self._thread.join(_CANCEL_TIMEOUT)

    def _run(self) -> None:
        with self._stream:
            while True:
                try:
                    event = next(self._stream, None)
                except ConnectionLostError:
                    continue  # events come again after the reconnect
                if event is None or self._stream.closed:
                    return
                self._callback(event)


class EventHub:
    """Receives every event of the driver, keeps the newest of each type, and fills the streams.

    Args:
        port: Name of the port, for messages.

    Attributes:
        driver: The driver, which is made after the hub.
    """

    driver: Driver

    def __init__(self, port: str) -> None:
        self._port = port
        self._newest: dict[type[Any], Any] = {}
        self._streams: tuple[EventStream[Any], ...] = ()
        self._lock = threading.Lock()
        self._lost_reason = "not connected yet"  #: why the robot is not connected, "" while it is

    def publish(self, event: Event) -> None:
        """Take an event; called by the driver's reader thread."""
        if isinstance(event, LinkChanged):
            self._on_link_changed(event)
        elif isinstance(event, Notice):
            _log.log(logging.WARNING if event.trouble else logging.INFO, "%s: %s", self._port, event.text)
        self._newest[type(event.packet) if isinstance(event, Received) else type(event)] = event
        for stream in self._streams:
            stream._put(event)

    def newest(self, kind: type[E]) -> E | None:
        """Return the newest event of a type, or the newest `Received` with a packet of that type."""
        return self._newest.get(kind)

    def stream(self, kinds: tuple[type[Any], ...], maxlen: int) -> EventStream[Any]:
        """Return a new stream of the events of some types, with a queue of `maxlen` events."""
        with self._lock:
            stream: EventStream[Any] = EventStream(self, kinds, maxlen)
            if self._lost_reason:
                stream._put(ConnectionLostError(self._lost_reason))
            self._streams = (*self._streams, stream)
        return stream

    def remove(self, stream: EventStream[Any]) -> None:
        """Fill this stream no more."""
        with self._lock:
            self._streams = tuple(other for other in self._streams if other is not stream)

    def close(self) -> None:
        """End every stream."""
        for stream in self._streams:
            stream.close()

    def _on_link_changed(self, event: LinkChanged) -> None:
        with self._lock:
            before, self._lost_reason = self._lost_reason, "" if event.state is LinkState.RUNNING else event.note
            streams = self._streams
        if self._lost_reason and not before:
            level = logging.INFO if event.requested else logging.WARNING
            why = event.note.removeprefix(f"{self._port}: ")
            _log.log(level, "%s: connection lost: %s", self._port, why)
            self._newest.clear()
            for stream in streams:
                stream._put(ConnectionLostError(f"{self._port}: {why}"))
