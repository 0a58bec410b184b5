# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Teleoperation as a person meets it: keys on a terminal, a robot in another process, and what it really does."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

import pytest
from processes import PATIENCE, SimulatedRobot, Terminal, command, environment, terminal, until

#: s: the robot's watchdog (2 s), its braking from 0.2 m/s, and the resolution of the truth
WATCHDOG = 2.0 + 0.7 + 0.1


@pytest.fixture
def teleop(robot: SimulatedRobot) -> Iterator[Terminal]:
    with terminal("teleop", "--port", robot.port) as tool:
        tool.wait_for("hold a key to drive")
        yield tool


def drive(teleop: Terminal, robot: SimulatedRobot) -> None:
    teleop.hold("w", lambda: robot.speed > 0.15, "the robot drives")


def test_robot_drives_only_while_a_key_is_held(teleop: Terminal, robot: SimulatedRobot) -> None:
    assert teleop.settings() != teleop.before
    drive(teleop, robot)
    released = time.monotonic()
    # 0.25 s without a repetition, or 0.6 s if there was none yet; then it brakes.
    assert robot.seconds_until_rest(released) < WATCHDOG
    drive(teleop, robot)
    teleop.type("\x1a")  # Ctrl-Z, which would suspend a program that leaves it to the terminal
    assert teleop.wait() == 0
    robot.seconds_until_rest(time.monotonic())
    assert teleop.settings() == teleop.before


def test_space_latches_the_emergency_stop_until_c(teleop: Terminal, robot: SimulatedRobot) -> None:
    drive(teleop, robot)
    teleop.type(" ")
    teleop.wait_for("EMERGENCY STOP: the robot does not move until you press c")
    robot.seconds_until_rest(time.monotonic())
    stopped_at = robot.truth[-1]["x"]
    for _ in range(20):
        teleop.type("w")
        time.sleep(0.04)
    assert robot.truth[-1]["x"] == pytest.approx(stopped_at, abs=1e-3)
    teleop.type("c")
    drive(teleop, robot)


def test_closing_the_terminal_stops_the_robot_and_the_program(teleop: Terminal, robot: SimulatedRobot) -> None:
    drive(teleop, robot)
    teleop.close()
    assert robot.seconds_until_rest(time.monotonic()) < WATCHDOG
    until(lambda: teleop.process.poll() is not None, "the program has ended")


def test_killing_wander_stops_the_robot_by_its_watchdog(robot: SimulatedRobot) -> None:
    with terminal("wander", "--port", robot.port) as tool:
        tool.wait_for("Move? [y/N]")
        tool.type("y\n")
        until(lambda: robot.speed > 0.15, "the robot drives")
        tool.process.kill()
        assert robot.seconds_until_rest(time.monotonic()) < WATCHDOG


def test_without_a_terminal_nothing_moves(robot: SimulatedRobot) -> None:
    reasons = {
        "teleop": "standard input is not a terminal",
        "wander": "a person must confirm",
        "demo": "a person must confirm",
        "calibrate": "a person must confirm",
    }
    tools = {
        subcommand: subprocess.Popen(
            command(subcommand, "--port", robot.port), env=environment(), stdin=-3, stderr=-1, text=True
        )
        for subcommand in reasons
    }
    for subcommand, tool in tools.items():
        error = tool.communicate(timeout=PATIENCE)[1]
        assert tool.returncode == 2
        assert reasons[subcommand] in error
        assert len(error.splitlines()) == 1
    assert robot.truth[-1]["x"] == robot.truth[0]["x"]
