# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The programs of a demo: a simulated robot, a node and a recorder, each with a log file."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .tour import Tour

WORLD = "room"

_PATIENCE = 10.0  # s between SIGINT and SIGKILL
_REST_TIMEOUT = 3.0  # s that the simulated robot may roll after its session was closed
_AT_REST = 1e-3  # m/s of a wheel
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


class DemoError(Exception):
    """The demo failed; the message is one line."""


class Launch:
    """Programs that the terminal's Ctrl-C does not reach, and that never outlive this one.

    Use it as a context manager: leaving it ends all of them, the last one first, so the robot outlives its node.
    """

    def __init__(self, out: Path) -> None:
        self.port = out / "robot"  #: of the simulated robot
        self.truth = out / "truth.jsonl"  #: its true path
        self._out = out
        self._programs: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Launch:
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(self._programs):
            if name == "simulator":
                wait_for(lambda: self._at_rest, _REST_TIMEOUT)
            self._end(self._programs[name])

    def simulator(self) -> None:
        """Start an AmigoBot in a room, on a pty."""
        where = ["--pty", str(self.port), "--world", WORLD, "--truth", str(self.truth)]
        self._start("simulator", "amigobot_driver.cli", "sim", "--robot", "amigo", "--name", "Amigo", *where)

    def recorder(self, bag: Path) -> None:
        """Start to record every topic."""
        self._start("recorder", "amigobot_tools.bag", "record", str(bag))

    def node(self, port: str, tour: Tour) -> None:
        """Start a node with the limits of a tour. Its odometry begins at the origin."""
        parameters = {
            "port": port,
            "max_linear_velocity": tour.speed,
            "max_angular_velocity": tour.turn_rate,
        }
        settings = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
        self._start("node", "amigobot_driver.ros.main", "--ros-args", *settings)

    def check(self) -> None:
        """Raise DemoError if one of the programs has ended."""
        if faults := self._ends(lambda status: status is not None):
            raise DemoError("; ".join(faults))

    def faults(self) -> list[str]:
        """Return what did not end as it should."""
        faults = self._ends(bool)
        if "simulator" in self._programs:
            log = (self._out / "simulator.log").read_text(encoding="utf-8").splitlines()
            sessions = [line for line in log if "  session " in line]
            if sessions and "  session closed" not in sessions[-1]:
                faults.append("the simulated robot was left in an open session")
            if not self._at_rest:
                faults.append("the simulated robot was left driving")
        return faults

    def _ends(self, wrong: Callable[[int | None], bool]) -> list[str]:
        ends = {name: program.poll() for name, program in self._programs.items()}
        return [f"the {name} has ended with status {status}" for name, status in ends.items() if wrong(status)]

    @property
    def _at_rest(self) -> bool:
        """Whether the wheels of the simulated robot do not turn."""
        lines = self.truth.read_text(encoding="utf-8").splitlines() if self.truth.exists() else []
        last = [json.loads(line) for line in lines[-1:]]
        return all(abs(line[wheel]) < _AT_REST for line in last for wheel in ("left_velocity", "right_velocity"))

    def _start(self, name: str, module: str, *arguments: str) -> None:
        with (self._out / f"{name}.log").open("wb") as log:
            # A session of its own: what is typed at the terminal reaches only this program.
            self._programs[name] = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
                preexec_fn=partial(_end_with, os.getpid()),
            )

    def _end(self, program: subprocess.Popen[bytes]) -> None:
        """Ask a program to end; kill it if it does not."""
        for number in (signal.SIGINT, signal.SIGKILL):
            if program.poll() is None:
                program.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.wait(_PATIENCE)


def wait_for(condition: Callable[[], bool], seconds: float, check: Callable[[], None] = lambda: None) -> bool:
    """Wait for a condition at most some seconds; return whether it holds. `check` may raise meanwhile."""
    deadline = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < deadline:
        check()
        time.sleep(0.05)
    return holds


def _end_with(parent: int) -> None:
    """Runs in the child before its program does: SIGINT shall reach it when the parent dies, even of SIGKILL."""
    if hasattr(_LIBC, "prctl"):  # Linux only; elsewhere the programs of a parent that is killed run on
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:  # it died before prctl
            os._exit(1)
