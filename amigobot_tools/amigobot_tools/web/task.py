# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The one piece of Python that may wait: a program, or a request that waits for a real robot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

import js
from pyodide.ffi import create_proxy, run_sync

from amigobot_driver import RequestRefusedError

Result = TypeVar("Result")

_PERIOD = 0.005  # s between two checks of a condition
_STOPPED = "stopped before its end: the page was hidden, or another robot connected"
_BUSY = 0.1  # s for which the function may keep the page busy


class Task:
    """Runs one function at a time. While it waits, its stack is suspended and the event loop goes on."""

    def __init__(self) -> None:
        self.running = False
        self.current = False  #: whether the code that runs now is that of the function
        self.interrupted = False  #: whether the person has pressed Stop; stays for a function that asks
        self._asks = False
        self._resumed = 0.0  #: s, when the event loop had its turn

    def start(self, call: Callable[[], Result], *, asks: bool = False) -> asyncio.Future[Result]:
        """Call a function as soon as the event loop is free.

        Args:
            call: The function.
            asks: It calls `stopped` all the time, so it needs no KeyboardInterrupt.

        Returns:
            Its result, which comes later.

        Raises:
            RequestRefusedError: Another one runs.
        """
        if self.running:
            raise RequestRefusedError("a program or an examination is running: stop it, or wait for its end")
        self.running, self.interrupted, self._asks = True, False, asks
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        js.enter(create_proxy(lambda: self._run(call, result)))
        return result

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the function, where it waits."""
        self.interrupted = self.running

    def stopped(self) -> bool:
        """Give the event loop its turn now and then. Return whether the person has pressed Stop."""
        if time.monotonic() - self._resumed > _BUSY:
            self.sleep(0.0)
        return self.interrupted

    def wait(self, condition: Callable[[], object], timeout: float, clock: Callable[[], float]) -> bool:
        """Wait until a condition holds, at most some seconds on a clock. Return whether it holds.

        Raises:
            RequestRefusedError: The code that runs now may not wait.
        """
        end = clock() + timeout
        while not condition():
            if clock() >= end:
                return False
            self._suspend(min(_PERIOD, end - clock()))
        return True

    def sleep(self, seconds: float) -> None:
        """Wait some seconds; takes the place of `time.sleep`."""
        self._suspend(0.0)
        self.wait(lambda: False, seconds, time.monotonic)

    def _run(self, call: Callable[[], Result], result: asyncio.Future[Result]) -> None:
        self.current = True
        try:
            result.set_result(call())
        except BaseException as error:
            result.set_exception(error if isinstance(error, Exception) else RequestRefusedError(_STOPPED))
        finally:
            self.running = self.current = False

    def _suspend(self, seconds: float) -> None:
        if not self.current:
            raise RequestRefusedError("only a program may wait here")
        self.current = False
        try:
            run_sync(js.alarm(seconds * 1000))
        finally:
            self.current, self._resumed = True, time.monotonic()
        if self.interrupted and not self._asks:
            self.interrupted = False
            raise KeyboardInterrupt
