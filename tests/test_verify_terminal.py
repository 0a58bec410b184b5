# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` as an owner meets it: questions on a terminal, a robot in another process, any key to stop it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import SimulatedRobot, Terminal, simulated_robot, terminal, until

from amigobot_tools.verify import report


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[SimulatedRobot]:
    with simulated_robot(tmp_path, "--robot", "amigo-sh", "--world", "empty") as running:
        yield running


@pytest.fixture
def verify(robot: SimulatedRobot, tmp_path: Path) -> Iterator[Terminal]:
    output = str(tmp_path / "report")
    with terminal("verify", robot.port, "--output", output, "--only", "config", "--only", "directions") as tool:
        yield tool


def test_motion_begins_with_consent_and_ends_at_any_key(
    verify: Terminal, robot: SimulatedRobot, tmp_path: Path
) -> None:
    verify.wait_for("Put the robot on a block")
    assert robot.speed == 0
    verify.type("\r")
    verify.wait_for("What moves: the wheels, in the air.")
    assert robot.speed == 0
    verify.type("\r")
    until(lambda: robot.speed > 0.05, "the wheels turn")
    verify.type("x")
    # A slow computer may take its time until it reads the key.
    verify.wait_for("ended by a key; the robot was stopped; continue with --resume")
    assert robot.seconds_until_rest(time.monotonic() - 1.0) < 2.0
    assert verify.wait() == 2
    assert report.load(tmp_path / "report" / report.REPORT).done == {"config"}


def test_a_person_who_skips_sees_no_motion(verify: Terminal, robot: SimulatedRobot) -> None:
    verify.wait_for("Put the robot on a block")
    verify.type("s\r")
    assert verify.wait() == 0
    assert max(abs(line["left_velocity"]) for line in robot.truth) == 0


def test_question_for_a_measurement_has_unit_and_limit(robot: SimulatedRobot, tmp_path: Path) -> None:
    with terminal("verify", robot.port, "--output", str(tmp_path / "report"), "--only", "straight") as tool:
        tool.wait_for("What moves: the robot, 1 m forward.")
        tool.wait_for("Enter: begin")
        tool.type("\r")
        tool.wait_for("Put the robot on the free floor")
        tool.type("\r")
        tool.wait_for("in the direction of the start? ")
        tool.type("12\r")
        tool.wait_for("from -10 to 10 m")
        tool.type("0,92\r")
        tool.wait_for("to the left of that line")
        tool.type("0\r")
        tool.wait()
    figures = {figure.key: figure.value for figure in report.load(tmp_path / "report" / report.REPORT).figures}
    assert figures["wheel.left_scale"] == pytest.approx(1.0, abs=0.05)
