# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a person sees while the robot drives: one line that changes, or a line now and then where that cannot be."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

from .report import Report

#: s between two lines where lines stay
_INTERVAL = 4.0
#: characters
_BAR = 8


class Live:
    """Writes to `out`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._changes = out.isatty()
        self._next = 0.0
        self._open = False

    def say(self, text: str) -> None:
        """A line that stays."""
        self._close()
        print(text, file=self._out, flush=True)

    def ask(self, question: str) -> None:
        """A line that waits for an answer."""
        self._close()
        print(question, end=" ", file=self._out, flush=True)

    def show(self, text: str) -> None:
        """A line that the next one replaces."""
        if self._changes:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{text[:width]}", end="", file=self._out, flush=True)
            self._open = True
        elif (now := time.monotonic()) >= self._next:
            self._next = now + _INTERVAL
            print(text, file=self._out, flush=True)

    def _close(self) -> None:
        """Take away the line that changes."""
        if self._open:
            print("\r\x1b[K", end="", file=self._out)
            self._open = False
        self._next = 0.0


def describe(report: Report) -> str:
    """A report in one line that fits a narrow terminal."""
    done = round(report.progress * _BAR)
    return (
        f"[{'#' * done}{'.' * (_BAR - done)}] {report.progress:4.0%}  {report.pose.x:5.2f} {report.pose.y:5.2f} m"
        f"  {report.speed:4.2f} m/s  sonar {report.nearest:4.2f} m  {report.volts:4.1f} V  {report.packets} packets"
    )
