# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""However a program on the Python API ends, the robot is at rest soon after: SIGKILL, Ctrl-C, an exit without close."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest
from kill_bench import PROGRAM, kills, running, served, until

#: Four kills of programs that drive in different ways take a minute on a busy machine.
pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("kind", ["pty", "tcp"])
def test_after_a_kill_the_watchdog_stops_the_robot(kind: str, tmp_path: Path) -> None:
    with served(kind, tmp_path) as robot:
        for kill in kills(robot, 4, random.Random(1)):
            assert kill.stopped_after <= kill.allowed, kill


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_that_ends_a_program_stops_the_robot(number: signal.Signals, tmp_path: Path) -> None:
    with served("pty", tmp_path) as robot, running(PROGRAM, robot.url, "drive") as program:
        until(lambda: robot.speed() > 0.05, "driving")
        program.send_signal(number)
        assert program.wait(60) != 0
        ended = time.monotonic()
        until(lambda: robot.at_rest_since(ended) is not None, "rest")


def test_a_program_that_ends_without_close_closes_the_session(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from amigobot_driver import AmigoBot\n"
        "robot = AmigoBot(sys.argv[1], timeout=120)\n"
        "robot.drive(0.3)\n"
        "time.sleep(0.4)\n"
        "keep = [robot]\n"
    )
    with served("pty", tmp_path) as robot, running(code, robot.url) as program:
        assert program.wait(120) == 0
        ended = time.monotonic()
        until(lambda: robot.at_rest_since(ended) is not None, "rest")
        at_rest = robot.at_rest_since(ended)
        assert at_rest is not None
        # Much earlier than the watchdog would stop it.
        assert at_rest - ended < 1.3 + robot.stall(ended)
