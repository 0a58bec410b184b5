# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tools that are killed while they drive a robot in another process, in every way in which tools end."""

from __future__ import annotations

import itertools
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator

from kill_bench import PROGRAM, Kill, ServedRobot, outcome, running, until
from processes import Terminal, terminal

TOOLS = ("teleop", "wander", "demo", "api", "monitor")
ENDS = ("SIGKILL", "SIGHUP", "closed terminal")
#: m/s at which the robot counts as driven
_DRIVES = 0.08


def tool_kills(robot: ServedRobot, count: int, rng: random.Random, tools: tuple[str, ...] = TOOLS) -> Iterator[Kill]:
    """Kill tools at random moments, in turn in every way."""
    for (tool, end), _ in zip(itertools.cycle(itertools.product(tools, ENDS)), range(count), strict=False):
        yield kill(robot, tool, end, rng.uniform(0.0, 1.0))


def kill(robot: ServedRobot, tool: str, end: str, delay: float) -> Kill:
    """Start a tool, have it drive, and end it after a delay (s)."""
    if tool == "api":
        with running(PROGRAM, robot.url, "drive") as program:
            until(lambda: robot.speed() > _DRIVES, "api: driving")
            time.sleep(delay)
            program.send_signal(signal.SIGHUP if end == "SIGHUP" else signal.SIGKILL)
            killed = time.monotonic()
            program.wait()
        return outcome(robot, f"api, {end if end == 'SIGHUP' else 'SIGKILL'}", killed)
    with tempfile.TemporaryDirectory() as folder, terminal(*_command(tool, robot.url, folder)) as screen:
        _drive(robot, tool, screen, delay)
        if end == "closed terminal":
            screen.close()
        else:
            os.kill(screen.process.pid, signal.Signals[end])
        killed = time.monotonic()
        result = outcome(robot, f"{tool}, {end}", killed)
        if end == "SIGKILL" or tool == "demo":
            until(lambda: screen.process.poll() is not None, f"{tool}: its end")
    return result


def _command(tool: str, url: str, folder: str) -> list[str]:
    more = {"wander": ["--yes"], "demo": ["--no-ros", "--out", folder], "teleop": ["--speed", "0.3", "--no-governor"]}
    return [tool, "--port", url, *more.get(tool, [])]


def _drive(robot: ServedRobot, tool: str, screen: Terminal, delay: float) -> None:
    """Have the tool drive for a moment; a monitor only watches."""
    if tool == "monitor":
        screen.wait_for("c clear")
        time.sleep(delay)
        return
    if tool == "teleop":
        screen.wait_for("hold a key to drive")
        screen.hold("w", lambda: robot.speed() > _DRIVES, "teleop: driving")
        end = time.monotonic() + delay
        screen.hold("w", lambda: time.monotonic() > end, "teleop: driving on")
        return
    if tool == "demo":
        screen.wait_for("Move? [y/N]")
        screen.type("y\n")
    until(lambda: robot.speed() > _DRIVES, f"{tool}: driving")
    time.sleep(delay)
