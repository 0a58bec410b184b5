# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot in one process, a tool on a terminal in another, and the truth about the robot."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import programs
from fakes import PATIENCE, until

_TESTS = Path(__file__).parent
#: s between two lines of the truth, of a process that runs: twice its period.
_USUAL_GAP = 0.1


def environment() -> dict[str, str]:
    """That of a process that finds the packages of this repository."""
    return programs.environment(_TESTS.with_name("amigobot_tools"), _TESTS, TERM="xterm-256color")


def command(*arguments: str) -> list[str]:
    """The command line of a subcommand of this package."""
    return [sys.executable, "-m", "source_subcommands", *arguments]


class SimulatedRobot:
    """`amigobot sim` on a pty, and the true state of the robot."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = str(folder / "robot")
        self._truth = folder / "truth.jsonl"
        self._log = folder / "sim.log"
        arguments = ["sim", "--pty", self.port, "--truth", str(self._truth), *options]
        command = [sys.executable, "-m", "amigobot_driver.cli", *arguments]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, env=environment(), stdout=log)
        until(lambda: os.path.exists(self.port) and self.truth, "the simulated robot is there")

    @property
    def truth(self) -> list[dict[str, Any]]:
        """Every line of the truth so far."""
        lines = self._truth.read_text().splitlines(keepends=True) if self._truth.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    @property
    def events(self) -> str:
        """What the simulator has printed."""
        return self._log.read_text()

    @property
    def speed(self) -> float:
        """The faster wheel, m/s."""
        return _speed(self.truth[-1])

    def seconds_until_rest(self, since: float) -> float:
        """Wait until the robot is at rest; s from a time on the monotonic clock to its last motion.

        Without the longest time in which the simulator's process did not run: it may have read late by as much.
        """
        until(lambda: self.truth[-1]["monotonic"] > since and self.speed == 0, "the robot is at rest")
        truth = self.truth
        last = max(line["monotonic"] for line in truth if _speed(line) > 0)
        times = [line["monotonic"] for line in truth if since - 1.0 <= line["monotonic"] <= last]
        stall = max((b - a - _USUAL_GAP for a, b in pairwise(times)), default=0.0)
        return last - since - max(0.0, stall)


@contextlib.contextmanager
def simulated_robot(folder: Path, *options: str) -> Iterator[SimulatedRobot]:
    """Run a simulated robot for a `with` block."""
    robot = SimulatedRobot(folder, *options)
    try:
        yield robot
    finally:
        robot.process.kill()
        robot.process.wait()


class Terminal:
    """A tool on a terminal of 80x24: what a person types and sees."""

    def __init__(self, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        self.process = subprocess.Popen(
            command(*arguments),
            env=environment(),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._output = b""

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def hold(self, key: str, condition: Callable[[], object], what: str) -> None:
        """Hold a key as a terminal repeats it, until a condition is met."""

        def held() -> object:
            self.type(key)
            time.sleep(0.04)
            return self.shows("") and condition()

        until(held, what)

    def shows(self, text: str) -> bool:
        """Whether this text has been on the screen since the last `clear`."""
        while self._master >= 0 and select.select([self._master], [], [], 0)[0]:
            try:
                self._output += os.read(self._master, 65536)
            except OSError:
                break
        return text in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._output.decode(errors="replace"))

    def wait_for(self, text: str) -> None:
        """Wait until this text is on the screen."""
        end = time.monotonic() + PATIENCE
        while not self.shows(text):
            seen = f"not on the screen: {text!r}, which had {self._output[-3000:]!r}; exit status {self.process.poll()}"
            assert time.monotonic() < end, seen
            time.sleep(0.01)

    def clear(self) -> None:
        """Forget what has been on the screen."""
        self.shows("")
        self._output = b""

    def settings(self) -> list[Any]:
        """The settings of the terminal."""
        return termios.tcgetattr(self._slave)

    def close(self) -> None:
        """Close the window: the kernel sends SIGHUP, and reading and writing fail from then on."""
        os.close(self._slave)
        os.close(self._master)
        self._master = -1

    def wait(self) -> int:
        """The exit status of the tool, which has ended or will soon."""

        def ended() -> bool:
            self.shows("")  # the terminal must not fill up
            return self.process.poll() is not None

        until(ended, "the tool has ended")
        return int(self.process.returncode)


@contextlib.contextmanager
def terminal(*arguments: str) -> Iterator[Terminal]:
    """Run a subcommand on a terminal for a `with` block."""
    tool = Terminal(*arguments)
    try:
        yield tool
    finally:
        if tool.process.poll() is None:
            tool.process.send_signal(signal.SIGKILL)
            tool.process.wait()
        if tool._master >= 0:
            tool.close()


def _speed(line: dict[str, Any]) -> float:
    return max(abs(line["left_velocity"]), abs(line["right_velocity"]))
