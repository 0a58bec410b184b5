# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""However a tool ends while it drives, the robot is at rest soon after."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kill_bench import ServedRobot, served
from tool_kills import kill

#: A start and an end take half a minute each on a busy machine.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(params=["pty", "tcp"])
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServedRobot]:
    with served(request.param, tmp_path) as robot:
        yield robot


def test_whatever_ends_a_tool_the_robot_is_at_rest_within_the_watchdogs_time(robot: ServedRobot) -> None:
    rng = random.Random(robot.url)
    for tool, end in (("teleop", "closed terminal"), ("wander", "SIGHUP"), ("demo", "SIGKILL"), ("monitor", "SIGKILL")):
        killed = kill(robot, tool, end, rng.uniform(0.0, 1.0))
        assert killed.stopped_after <= killed.allowed, killed
