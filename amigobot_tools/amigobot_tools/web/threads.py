# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Threads that take turns, for a Python that has only one: `threading` in a web worker.

A thread runs until it waits. It then waits for a promise of JavaScript (`pyodide.ffi.run_sync`), which keeps its stack
and lets others run. So code with threads and locks runs here as it is, and a thread that never waits blocks all others.
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent import futures
from typing import Any

import js
from pyodide.ffi import create_proxy, run_sync

_numbers = itertools.count(1)
_current: Thread | None = None


def _wait(promise: Any) -> None:
    """Let other threads run until a promise is kept."""
    global _current
    me = _current
    try:
        run_sync(promise)
    finally:
        _current = me
    if me and me.interrupted:
        me.interrupted = False
        raise KeyboardInterrupt


def sleep(seconds: float) -> None:
    """Let other threads run for some time (s)."""
    _wait(js.alarm(seconds * 1000).promise)


class Lock:
    """A `threading.Lock`."""

    def __init__(self) -> None:
        self._held = False
        self._waiting: deque[Any] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock. Returns whether it was free within the timeout (s; -1: wait for ever)."""
        end = time.monotonic() + timeout if timeout >= 0 else float("inf")
        while self._held:
            remaining = end - time.monotonic()
            if not blocking or remaining <= 0:
                return False
            alarm = js.alarm(remaining * 1000 if timeout >= 0 else -1)
            self._waiting.append(alarm)
            _wait(alarm.promise)
            if alarm in self._waiting:
                self._waiting.remove(alarm)
        self._held = True
        return True

    def release(self) -> None:
        """Free the lock, and wake the thread that has waited longest."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False
        if self._waiting:
            self._waiting.popleft().ring()

    def locked(self) -> bool:
        """Return whether somebody holds the lock."""
        return self._held

    _at_fork_reinit = __init__  # concurrent.futures asks for it
    __enter__ = acquire

    def __exit__(self, *exception: object) -> None:
        self.release()


class Thread:
    """A `threading.Thread`."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        self.ident = next(_numbers)
        self.name, self.daemon = name or f"Thread-{self.ident}", bool(daemon)
        self._call = (target, args, kwargs or {})
        self.interrupted = False  #: raise KeyboardInterrupt when it has waited
        self._alive = False
        self._ended = threading.Event()

    def start(self) -> None:
        """Run as soon as the current thread waits."""
        self._alive = True
        js.start_thread(create_proxy(self._bootstrap))

    def run(self) -> None:
        """Call the target."""
        target, args, kwargs = self._call
        if target:
            target(*args, **kwargs)

    def is_alive(self) -> bool:
        """Return whether it was started and has not ended."""
        return self._alive

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, at most some time (s)."""
        self._ended.wait(timeout)

    def _bootstrap(self) -> None:
        global _current
        _current = self
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            self._alive = False
            self._ended.set()
            _current = None


def install() -> None:
    """Replace what would block in `threading`, `queue`, `time`, `concurrent.futures` and asyncio's executors."""
    names = vars(threading)
    main = Thread(name="MainThread")
    names.update(
        Lock=Lock,
        _allocate_lock=Lock,
        RLock=names["_PyRLock"],
        Thread=Thread,
        get_ident=lambda: (_current or main).ident,
        current_thread=lambda: _current or main,
        main_thread=lambda: main,
    )
    time.sleep = sleep
    vars(queue)["SimpleQueue"] = vars(queue)["_PySimpleQueue"]
    executor = futures.ThreadPoolExecutor(4)
    loop = asyncio.get_event_loop()

    def run_in_executor(own: futures.Executor | None, call: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        return asyncio.wrap_future((own or executor).submit(call, *args), loop=loop)

    loop.run_in_executor = run_in_executor  # type: ignore[method-assign, assignment]
