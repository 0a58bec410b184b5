# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The parts of the demo: tours, and what makes it fail."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import load_world
from amigobot_tools.demo.demo import report
from amigobot_tools.demo.programs import DemoError, Programs
from amigobot_tools.demo.tour import ROOM, SQUARE, Pursuit, Tour
from amigobot_tools.demo.tour_drive import TourLog
from amigobot_tools.geometry import Pose
from amigobot_tools.state import RobotState

STEP = 0.05  # s


def driven(tour: Tour) -> list[Pose]:
    """The poses of a robot that does exactly what the pursuit asks for."""
    pursuit, pose = Pursuit(tour), Pose(0.0, 0.0, 0.0)
    poses = [pose]
    while not pursuit.finished:
        assert len(poses) * STEP < 120
        linear, angular = pursuit.steer(*pose)
        turned = pose.yaw + angular * STEP / 2
        pose = Pose(
            pose.x + linear * STEP * math.cos(turned),
            pose.y + linear * STEP * math.sin(turned),
            pose.yaw + angular * STEP,
        )
        poses.append(pose)
    return poses


@pytest.mark.parametrize("tour", [ROOM, SQUARE], ids=["room", "square"])
def test_tour_ends_where_it_should(tour: Tour) -> None:
    end = driven(tour)[-1]
    assert math.dist(end[:2], np.subtract(tour.waypoints[-1], tour.waypoints[0])) < 0.1


def test_tour_of_the_room_is_short_and_clear() -> None:
    poses = [pose.transformed_by(Pose(2.75, 2.75, 0.0)) for pose in driven(ROOM)]
    assert 30 < len(poses) * STEP < 50
    points = np.array([pose[:2] for pose in poses])
    for segment in load_world("room").segments:
        for share in np.linspace(0, 1, 20):
            corner = segment.x1 + share * (segment.x2 - segment.x1), segment.y1 + share * (segment.y2 - segment.y1)
            assert np.hypot(*(points - corner).T).min() > 0.35


def test_square_needs_half_a_meter() -> None:
    xs, ys, _ = zip(*driven(SQUARE), strict=True)
    assert min(xs) > -0.1 and min(ys) > -0.1 and max(xs) < 0.6 and max(ys) < 0.6


@pytest.mark.parametrize(("meters", "good"), [(2.0, True), (2.1, False)])
def test_demo_fails_if_odometry_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], meters: float, good: bool
) -> None:
    drive = TourLog(RobotState(profile=load_profile("amigo")))
    drive.times = [1000.0 + i / 10 for i in range(101)]
    drive.poses = [Pose(0.1 + 2.0 * i / 100, 0.0, 0.0) for i in range(101)]
    lines = [
        {"t": 1000.0 + i / 10, "x": 2.0, "y": 3.0 + meters * i / 100, "heading": math.pi / 2} for i in range(-10, 111)
    ]
    (tmp_path / "truth").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with contextlib.nullcontext() if good else pytest.raises(DemoError, match=r"odometry is 10\.0 cm"):
        report(drive, tmp_path, tmp_path / "truth")
    assert "driven    2.00 m in 10.0 s" in capsys.readouterr().out
    assert (tmp_path / "tour.png").exists()


def test_program_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="the node has ended with status 1"), Programs(tmp_path) as programs:
        programs.start("node", "no_such_module")
        while True:
            programs.check()
    assert "no_such_module" in (tmp_path / "node.log").read_text()
