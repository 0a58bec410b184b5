# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Signals while a robot drives, in any number and at any distance: its session is closed, the terminal restored."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import PATIENCE, SimulatedRobot, Terminal, environment, terminal, until

from amigobot_driver.signals import ENDING

PROGRAM = """
import sys
from amigobot_driver import AmigoBot
with AmigoBot(sys.argv[1], timeout=60) as robot:
    robot.drive(0.2, duration=60)
"""
CLOSED = "motors: switched off", "session closed: the client closed it"


def send(process: int, first: signal.Signals, seed: int) -> None:
    """Send a signal twice, as the kernel and a shell do with SIGHUP, and then more of all kinds."""
    rng = random.Random(seed)
    with contextlib.suppress(ProcessLookupError):
        for number in (first, first, *rng.choices(ENDING, k=20)):
            os.kill(process, number)
            time.sleep(rng.choice((0.0, 0.001, 0.02, 0.1)))


def drive(tool: Terminal, robot: SimulatedRobot, subcommand: str) -> None:
    if subcommand == "teleop":
        tool.wait_for("hold a key to drive")
        tool.hold("w", lambda: robot.speed > 0.15, "the robot drives")
        return
    if subcommand == "calibrate":
        tool.wait_for("Enter: done")
        tool.type("\n")
    elif subcommand in ("demo", "wander"):
        tool.wait_for("Move? [y/N]")
        assert robot.speed == 0
        tool.type("y\n")
    elif subcommand == "verify":
        for question in ("Enter: done", "Enter: begin"):
            tool.wait_for(question)
            tool.type("\r")
    until(lambda: robot.speed > 0.05, "the robot drives")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("subcommand", "first"),
    [
        ("teleop", signal.SIGHUP),
        ("wander", signal.SIGTERM),
        ("calibrate", signal.SIGINT),
        ("demo", signal.SIGQUIT),
        ("verify", signal.SIGHUP),
    ],
)
def test_signals_stop_the_robot_and_restore_the_terminal(
    subcommand: str, first: signal.Signals, robot: SimulatedRobot, tmp_path: Path
) -> None:
    arguments = {
        "calibrate": ["--port", robot.port, "--out", str(tmp_path / "robot.yaml")],
        "demo": ["--port", robot.port, "--out", str(tmp_path / "demo"), "--no-ros"],
        "verify": [robot.port, "--only", "directions", "--output", str(tmp_path / "report")],
    }
    with terminal(subcommand, *arguments.get(subcommand, ["--port", robot.port])) as tool:
        drive(tool, robot, subcommand)
        send(tool.process.pid, first, seed=first)
        assert tool.wait() in {128 + number for number in ENDING}
        assert tool.settings() == tool.before
        assert not tool.shows("Traceback")
    until(lambda: all(event in robot.events for event in CLOSED), "motors off, session closed")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", [signal.SIGHUP, signal.SIGINT])
def test_signals_to_a_python_api_program_stop_the_robot(first: signal.Signals, robot: SimulatedRobot) -> None:
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, robot.port], env=environment(), stderr=-3)
    until(lambda: robot.speed > 0.15, "the robot drives")
    send(program.pid, first, seed=first)
    assert program.wait(PATIENCE) != 0
    until(lambda: all(event in robot.events for event in CLOSED), "motors off, session closed")
