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
_SLEEP = 0.05  # s of a longer sleep after which an interrupt takes effect


class Task:
    """Runs one function at a time. While it waits, its stack is suspended and the event loop goes on."""

    def __init__(self) -> None:
        self.running = False
        self.current = False  #: whether the code that runs now is that of the function
        self._interrupted = False

    def start(self, call: Callable[[], object]) -> None:
        """Call a function as soon as the event loop is free. Returns at once.

        Raises:
            RequestRefusedError: Another one runs.
        """
        if self.running:
            raise RequestRefusedError("a program or an examination is running: stop it, or wait for its end")
        self.running, self._interrupted = True, False
        js.enter(create_proxy(lambda: self._run(call)))

    async def result(self, call: Callable[[], Result]) -> Result:
        """Call a function, and return its result.

        Raises:
            RequestRefusedError: Another one runs.
        """
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

        def run() -> None:
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

        self.start(run)
        return await future

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the function, where it waits."""
        self._interrupted = self.running

    def wait(self, condition: Callable[[], object], timeout: float, clock: Callable[[], float]) -> bool:
        """Wait until a condition holds, at most some seconds on a clock. Returns whether it holds.

        Raises:
            RequestRefusedError: The code that runs now may not wait.
        """
        end = clock() + timeout
        while not condition():
            if clock() >= end:
                return False
            self._suspend(_PERIOD)
        return True

    def sleep(self, seconds: float) -> None:
        """Wait some seconds; takes the place of `time.sleep`."""
        end = time.monotonic() + seconds
        self._suspend(0.0)
        while (remaining := end - time.monotonic()) > 0:
            self._suspend(min(_SLEEP, remaining))

    def _run(self, call: Callable[[], object]) -> None:
        self.current = True
        try:
            call()
        finally:
            self.running = self.current = False

    def _suspend(self, seconds: float) -> None:
        if not self.current:
            raise RequestRefusedError("only a program may wait here")
        self.current = False
        try:
            run_sync(js.alarm(seconds * 1000))
        finally:
            self.current = True
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt
