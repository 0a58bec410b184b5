# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The parts of the demo: tours, odometry beside the truth, and what makes it fail."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from amigobot_driver.sim import load_world
from amigobot_tools.demo.domain import free_domain
from amigobot_tools.demo.drive import Drive
from amigobot_tools.demo.launch import DemoError, Launch
from amigobot_tools.demo.report import Contents, measure, problems
from amigobot_tools.demo.tour import ROOM, TOURS, Pose, Pursuit, Tour
from amigobot_tools.state import RobotState

STEP = 0.05  # s
START = 1000.0  # s, Unix time


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


@pytest.mark.parametrize("name", TOURS)
def test_tour_ends_where_it_should(name: str) -> None:
    tour = TOURS[name]
    end = driven(tour)[-1]
    x, y = tour.waypoints[-1]
    expected = Pose(x, y, tour.end_yaw).seen_from(tour.start)
    assert math.dist(end[:2], expected[:2]) < 0.1
    assert abs(math.remainder(end.yaw - expected.yaw, math.tau)) < math.radians(5)


def test_tour_of_the_room_is_short_and_clear() -> None:
    poses = [pose.transformed_by(ROOM.start) for pose in driven(ROOM)]
    assert 20 < len(poses) * STEP < 40
    points = np.array([pose[:2] for pose in poses])
    for segment in load_world("room").segments:
        for share in np.linspace(0, 1, 20):
            corner = segment.x1 + share * (segment.x2 - segment.x1), segment.y1 + share * (segment.y2 - segment.y1)
            assert np.hypot(*(points - corner).T).min() > 0.35


def test_square_needs_half_a_meter() -> None:
    xs, ys, _ = zip(*driven(TOURS["square"]), strict=True)
    assert min(xs) > -0.1 and min(ys) > -0.1 and max(xs) < 0.6 and max(ys) < 0.6


def straight(meters: float) -> Drive:
    """A drive straight on, with an echo 1 m ahead of its end."""
    state = RobotState(connected=True, link={"packets": "100", "damaged": "0"})
    drive = Drive(ROOM, state, seconds=10.0, progress=1.0, planned=2.0)
    drive.poses = [(START + i / 10, 0.1 + meters * i / 100, 0.0, 0.0) for i in range(101)]
    drive.echoes = [(START + 10.0, 1.0, 0.0)]
    return drive


def truth(path: Path, meters: float) -> Path:
    """The log of a simulator that drives along Y; it begins before the drive and ends after it."""
    times = [START - 1 + i / 10 for i in range(121)]
    shares = [min(max(time - START, 0.0) / 10, 1.0) for time in times]
    lines = [
        {"t": t, "x": 2.0, "y": 3.0 + meters * s, "heading": math.pi / 2} for t, s in zip(times, shares, strict=True)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.mark.parametrize(("meters", "off"), [(2.0, 0.0), (2.1, 0.1)])
def test_odometry_is_compared_where_the_tour_began(tmp_path: Path, meters: float, off: float) -> None:
    measured = measure(straight(2.0), truth(tmp_path / "truth", meters))
    assert measured.odometry.length == pytest.approx(2.0)
    assert measured.end == pytest.approx(off) and measured.end_angle == pytest.approx(0.0, abs=1e-9)
    assert (measured.hits[0][0], measured.hits[1][0]) == pytest.approx((2.0, 6.0))


def test_late_packets_do_not_count_against_odometry(tmp_path: Path) -> None:
    drive = straight(2.0)
    drive.poses[1:-1] = [(time + 0.2, *pose) for time, *pose in drive.poses[1:-1]]
    assert measure(drive, truth(tmp_path / "truth", 2.0)).deviation < 0.005


ALL: Contents = dict.fromkeys(
    ("/odom", "/tf", "/joint_states", "/status", "/battery_state", "/diagnostics", "/robot_config", "/cmd_vel"),
    ("", []),
)


@pytest.mark.parametrize(
    ("meters", "planned", "damaged", "found", "fault"),
    [
        (2.0, 2.0, "0", ALL, ""),
        (2.0, 2.0, "0", {"Sip": ("", [])}, ""),
        (0.5, 2.0, "0", ALL, "the robot drove only 0.50 m"),
        (2.0, 5.0, "0", ALL, "the robot drove 2.00 m on a path of 5.00 m"),
        (2.0, 2.0, "9", ALL, "of 100 packets 9 were damaged"),
        (2.0, 2.0, "0", {"/odom": ("", [])}, "no message came of /battery_state, /cmd_vel"),
    ],
)
def test_demo_fails_with_a_reason(meters: float, planned: float, damaged: str, found: Contents, fault: str) -> None:
    drive = straight(meters)
    drive.planned, drive.state = planned, replace(drive.state, link={"packets": "100", "damaged": damaged})
    assert "; ".join(problems(drive, measure(drive, None), found)).startswith(fault)
    assert fault or not list(problems(drive, measure(drive, None), found))


def test_wrong_odometry_fails_the_demo(tmp_path: Path) -> None:
    drive = straight(2.0)
    assert "odometry is 10.0 cm" in " ".join(problems(drive, measure(drive, truth(tmp_path / "truth", 2.1)), ALL))


def test_program_that_ends_is_named(tmp_path: Path) -> None:
    with Launch(tmp_path) as launch:
        launch._start("node", "no_such_module")
        launch._programs["node"].wait(60)
        with pytest.raises(DemoError, match="the node has ended with status 1"):
            launch.check()
    assert "no_such_module" in (tmp_path / "node.log").read_text()


def test_domains_are_given_to_one_at_a_time() -> None:
    with free_domain() as first, free_domain() as second:
        assert first != second
