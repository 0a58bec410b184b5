# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The signals that ask a program to end: Ctrl-C, SIGTERM, SIGHUP (a closed terminal) and SIGQUIT (Ctrl-backslash).

By default the last three end a Python program without its `finally` blocks, and the robot drives on until its watchdog.
A closed terminal sends SIGHUP twice: the kernel and the shell do. Only the main thread can handle signals; in another
thread these functions do nothing.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SAME_REQUEST = 0.5  #: s after a signal in which further ones belong to it
_END_LIMIT = 20.0  #: s after a signal until a command that hangs ends


class TerminatedError(SystemExit):
    """A signal other than Ctrl-C asks the program to end. The exit status is 128 plus its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self._name = signal.Signals(number).name

    def __str__(self) -> str:
        return f"ended by {self._name}"


@contextmanager
def raised() -> Iterator[None]:
    """Raise KeyboardInterrupt or `TerminatedError` at a signal, so that a `with` block can stop its robot.

    A handler that the program has installed stays.
    """
    last = -math.inf

    def end(number: int, _: object) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > _SAME_REQUEST:
            raise _exception(number)

    defaults = (signal.SIG_DFL, signal.default_int_handler)
    with _handled(end, lambda number: signal.getsignal(number) in defaults):
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Hold signals back, and deliver the first one after the block: what stops a robot must not be interrupted."""
    received: list[int] = []
    try:
        with _handled(lambda number, _: received.append(number), _is_not_ignored):
            yield
    finally:
        if received:
            signal.raise_signal(received[0])


@contextmanager
def caught() -> Iterator[list[int]]:
    """Yield a list that is empty until a signal asks the program to end. Takes Ctrl-C also in a background job."""
    received: list[int] = []
    with _handled(
        lambda number, _: received.append(number), lambda number: number == signal.SIGINT or _is_not_ignored(number)
    ):
        yield received


@contextmanager
def first_ends_command() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt or `TerminatedError` at the first signal, and ignore all others until the process ends.

    Yields a list, which has the number of that signal from then on.
    """
    received: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        if received:
            return
        if any(each.f_code is dropped.__code__ for each, _ in traceback.walk_stack(frame)):
            repeat(number)  # Python drops what `dropped` raises, without another call of it
            return
        received.append(number)
        signal.setitimer(signal.ITIMER_REAL, _END_LIMIT)  # SIGALRM ends a process that hangs
        raise _exception(number)

    def dropped(lost: Any) -> None:
        if received and isinstance(lost.exc_value, (KeyboardInterrupt, TerminatedError)):
            repeat(received.pop())  # Python drops an exception that a destructor or a callback raises
        else:
            sys.__unraisablehook__(lost)

    def repeat(number: int) -> None:
        threading.Timer(0.01, os.kill, (os.getpid(), number)).start()

    sys.unraisablehook, before = dropped, sys.unraisablehook
    try:
        with _handled(end, _is_not_ignored, received):
            yield received
    finally:
        sys.unraisablehook = before


def _exception(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else TerminatedError(number)


def _is_not_ignored(number: int) -> bool:
    """Whether the program reacts to a signal: under nohup, or in the background of a script, it does not to some."""
    return signal.getsignal(number) is not signal.SIG_IGN


@contextmanager
def _handled(
    handler: Callable[[int, FrameType | None], object],
    chosen: Callable[[int], bool],
    ended: Sequence[int] = (),
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING if chosen(number)}
    try:
        for number in before:
            signal.signal(number, handler)
        yield
    finally:
        for number, old in before.items():
            # Python's own end would restore the default action of a handler, which kills the process.
            signal.signal(number, signal.SIG_IGN if ended else old)
