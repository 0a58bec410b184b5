# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Programs on the Python API that are killed while they drive; the simulator's truth says when the robot is at rest.

The robot is served in a process of its own, on a pty or on TCP.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
#: s that no start takes, on however busy a machine.
PATIENCE = 120.0
#: s without a frame after which the robot stops (docs/protocol.md 3.6), and s for what was on its way.
WATCHDOG, ON_ITS_WAY = 2.0, 0.2
#: m/s^2 and rad/s^2 of the simulated robot, and s for its control to settle.
DECELERATION, TURN_DECELERATION, SETTLING = 0.3, math.radians(50), 0.3
#: s that the robot must be at rest.
REST = 1.0

#: A program that drives for ever, in one of several ways.
PROGRAM = """
import sys
from itertools import cycle
from amigobot_driver import AmigoBot, Options
port, way = sys.argv[1:]
with AmigoBot(port, timeout=120, options=Options(max_linear=0.3, max_angular=1.0)) as robot:
    for sign in cycle((1, -1)):
        if way == "drive":
            robot.drive(0.3, 0.3, duration=60)
        elif way == "move":
            robot.move(20.0)
        elif way == "turn":
            robot.turn(sign * 3.0)
        elif way == "repeat":
            robot.drive(0.0, 1.0)
"""
WAYS = ("drive", "move", "turn", "repeat")


@dataclass(frozen=True)
class Kill:
    """One program that was killed."""

    way: str
    stopped_after: float  #: s from the kill until the robot was at rest
    allowed: float  #: s


class ServedRobot:
    """A simulated robot in a process of its own, with its truth in a file."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, truth: Path) -> None:
        self.process = process
        self.url = url
        self._truth = truth

    def lines(self) -> list[dict[str, float]]:
        """The truth of the last half minute."""
        if not self._truth.exists():
            return []
        with self._truth.open("rb") as file:
            file.seek(max(0, self._truth.stat().st_size - 100_000))
            lines = file.read().splitlines(keepends=True)
        return [json.loads(line) for line in lines[1:] if line.endswith(b"\n")]

    def speed(self) -> float:
        """m/s of the faster wheel."""
        return next((speed(line) for line in reversed(self.lines())), 0.0)

    def at_rest_since(self, time: float) -> float | None:
        """When the robot came to rest for `REST` after this time (s), and None if it is not known yet."""
        later = [line for line in self.lines() if line["monotonic"] >= time]
        still = [
            next(line["monotonic"] for line in group)
            for key, group in itertools.groupby(later, key=lambda line: speed(line) == 0.0)
            if key
        ]
        if later and still and speed(later[-1]) == 0.0 and later[-1]["monotonic"] - still[-1] >= REST:
            return still[-1]
        return None

    def stall(self, since: float) -> float:
        """The longest time in which the simulator's process did not run (s): it may have read late by as much."""
        later = [line["monotonic"] for line in self.lines() if line["monotonic"] >= since - 1.0]
        return max((b - a for a, b in pairwise(later)), default=0.0)


def speed(line: dict[str, float]) -> float:
    return max(abs(line["left_velocity"]), abs(line["right_velocity"]))


@contextlib.contextmanager
def served(kind: str, folder: Path) -> Iterator[ServedRobot]:
    """Serve a robot on a "pty" or on "tcp"."""
    truth, port = folder / f"{kind}.jsonl", folder / f"{kind}-robot"
    where = ["--pty", str(port)] if kind == "pty" else ["--tcp", "127.0.0.1:0"]
    code = "import sys; from amigobot_driver.cli import main; sys.exit(main())"
    with running(code, "sim", *where, "--truth", str(truth), "--world", "empty") as process:
        assert process.stdout is not None
        first = process.stdout.readline().decode()
        # What the simulator prints later must not fill the pipe.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        url = str(port) if kind == "pty" else f"socket://127.0.0.1:{first.rpartition(':')[2].strip()}"
        yield ServedRobot(process, url, truth)


@contextlib.contextmanager
def running(code: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def kills(robot: ServedRobot, count: int, rng: random.Random) -> Iterator[Kill]:
    """Kill `count` programs at random moments while they drive."""
    for number in range(count):
        way = WAYS[number % len(WAYS)]
        with running(PROGRAM, robot.url, way) as program:
            until(lambda: robot.speed() > 0.05, f"{way}: driving")
            time.sleep(rng.uniform(0.0, 1.0))
            program.send_signal(signal.SIGKILL)
            killed = time.monotonic()
            program.wait()
        yield outcome(robot, way, killed)


def outcome(robot: ServedRobot, way: str, killed: float) -> Kill:
    """Wait until the robot is at rest after a program was killed at a time (s)."""
    until(lambda: robot.at_rest_since(killed) is not None, f"{way}: rest")
    at_rest = robot.at_rest_since(killed)
    assert at_rest is not None
    lines = [line for line in robot.lines() if line["monotonic"] >= killed - 0.2]
    fastest = max(map(speed, lines), default=0.0)
    turning = max((abs(line["turn_rate"]) for line in lines), default=0.0)
    braking = max(fastest / DECELERATION, turning / TURN_DECELERATION) + SETTLING
    return Kill(way, at_rest - killed, WATCHDOG + ON_ITS_WAY + braking + robot.stall(killed))


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.02)
