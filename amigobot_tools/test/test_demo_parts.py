# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The demo's parts that need no robot: geometry, guard, live line, processes, what is made of a recording."""

from __future__ import annotations

import io
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="numpy is not installed")

import numpy as np

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import load_world
from amigobot_tools.demo.checks import check_comparison, check_recording
from amigobot_tools.demo.comparison import compare
from amigobot_tools.demo.domain import free_domain
from amigobot_tools.demo.guard import Guard
from amigobot_tools.demo.live import Live, describe
from amigobot_tools.demo.processes import Child
from amigobot_tools.demo.recording import Recording, RecordingError, Track, lost_packets
from amigobot_tools.demo.report import Phase, Report, reports
from amigobot_tools.demo.tour import ROOM, TOURS, Pose, Pursuit, Tour
from amigobot_tools.demo.tour import Path as Way

ROOT = Path(__file__).resolve().parents[1]
AMIGO = load_profile("amigo")


# --- where it drives -------------------------------------------------------------------------------------------


def drive(tour: Tour, delay: int = 3) -> list[Pose]:
    """Where a robot goes on a tour: one with the firmware's accelerations, and poses that are `delay` cycles old."""
    pursuit, cycle = Pursuit(tour), 0.05
    poses, linear, angular = [Pose(0.0, 0.0, 0.0)] * (delay + 1), 0.0, 0.0
    while not pursuit.finished and len(poses) * cycle < 60:
        wanted = pursuit.steer(*poses[-1 - delay])
        linear += max(-0.3 * cycle, min(0.3 * cycle, wanted[0] - linear))
        angular += max(-1.75 * cycle, min(1.75 * cycle, wanted[1] - angular))
        x, y, yaw = poses[-1]
        yaw += angular * cycle
        poses.append(Pose(x + linear * cycle * math.cos(yaw), y + linear * cycle * math.sin(yaw), yaw))
    assert pursuit.finished
    assert pursuit.progress == 1.0
    return poses


@pytest.mark.parametrize("name", TOURS)
def test_a_tour_ends_where_it_should(name: str) -> None:
    tour = TOURS[name]
    end = drive(tour)[-1]
    wanted = Pose(*tour.waypoints[-1], tour.end_yaw).seen_from(tour.start)
    assert math.dist(end[:2], wanted[:2]) < 0.06
    assert abs(math.remainder(end.yaw - wanted.yaw, math.tau)) < math.radians(10)


def test_the_tour_of_the_room_stays_clear_of_the_furniture() -> None:
    world = load_world("room")
    assert Pose(world.start.x, world.start.y, world.start.heading) == ROOM.start
    for pose in drive(ROOM):
        at = pose.transformed_by(ROOM.start)
        assert min(segment.distance_to(at.x, at.y) for segment in world.segments) > AMIGO.body.radius + 0.3


def test_the_tour_of_the_room_takes_half_a_minute() -> None:
    assert 20 < len(drive(ROOM)) * 0.05 < 32


def test_the_square_needs_no_more_floor_than_it_says() -> None:
    for pose in drive(TOURS["square"]):
        assert -0.1 < pose.x < 0.6
        assert -0.1 < pose.y < 0.6


def test_poses_go_into_a_frame_and_out_again() -> None:
    frame, pose = Pose(1.0, -2.0, 2.5), Pose(0.3, 0.4, -1.0)
    assert pose.seen_from(frame).transformed_by(frame) == pytest.approx(pose)
    assert frame.seen_from(frame) == pytest.approx((0.0, 0.0, 0.0))


def test_way_by_its_length() -> None:
    way = Way(((0.0, 0.0), (3.0, 0.0), (3.0, 1.0)))
    assert way.length == 4.0
    assert way.at(3.5) == (3.0, 0.5)
    assert (way.at(-1.0), way.at(9.0)) == ((0.0, 0.0), (3.0, 1.0))
    assert way.nearest(2.9, 0.6, 2.0, 4.0) == pytest.approx(3.6)


# --- the guard -------------------------------------------------------------------------------------------------


def guard_that_saw(**distances: float) -> Guard:
    guard = Guard(AMIGO.sonar.poses, 0.4)
    for number in range(8):
        guard.update(number, distances.get(f"sonar_{number}", 2.0), now=10.0)
    return guard


def test_guard_looks_ahead_only() -> None:
    assert guard_that_saw(sonar_0=0.1, sonar_5=0.1, sonar_6=0.1).objection(10.0) == ""
    assert "0.30 m in front of sonar 3" in guard_that_saw(sonar_3=0.3, sonar_2=0.35).objection(10.0)


def test_guard_objects_to_silence() -> None:
    assert "sonar 1, which points ahead, is silent" in Guard(AMIGO.sonar.poses, 0.4).objection(10.0)
    assert guard_that_saw().objection(11.0) == ""
    assert "silent" in guard_that_saw().objection(12.0)
    assert "no sonar" in Guard((), 0.4).objection(10.0)


def test_nearest_of_the_fresh_readings() -> None:
    guard = guard_that_saw(sonar_7=0.5)
    assert guard.nearest(10.0) == 0.5
    assert math.isnan(guard.nearest(20.0))


# --- what people see -------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_that_changes_on_a_terminal() -> None:
    out = Terminal()
    live = Live(out)
    live.show("one")
    live.show("two")
    live.say("done")
    assert out.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Kdone\n"


def test_lines_now_and_then_elsewhere() -> None:
    out = io.StringIO()
    live = Live(out)
    live.show("one")
    live.show("two")
    live.say("done")
    live.show("three")
    assert out.getvalue() == "one\ndone\nthree\n"


def test_reports_fit_a_terminal_and_survive_the_log() -> None:
    report = Report(
        phase=Phase.DRIVING,
        progress=1.0,
        pose=Pose(-10.0, -10.0, -3.0),
        speed=-0.5,
        nearest=5.0,
        volts=12.6,
        packets=999,
    )
    assert len(describe(report)) < 80
    assert list(reports(["[INFO] something", report.line()])) == [report]


# --- processes -------------------------------------------------------------------------------------------------


def start(tmp_path: Path, code: str) -> Child:
    return Child("child", [sys.executable, "-S", "-c", code], tmp_path / "log", os.environ)


def wait_for(condition: object, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_child_is_heard_spoken_to_and_ended(tmp_path: Path) -> None:
    child = start(tmp_path, "print('hello'); print(input().upper()); input()")
    wait_for(lambda: "hello" in child.text)
    assert child.new_lines() == ["hello"]
    child.say("word")
    wait_for(lambda: "WORD" in child.text)
    assert child.new_lines() == ["WORD"]
    assert child.status is None
    child.end()
    assert child.status == -signal.SIGINT or child.status == 1


def test_lines_are_given_whole(tmp_path: Path) -> None:
    child = start(tmp_path, "print('all', flush=True); print('ha', end='', flush=True); input(); print('lf')")
    wait_for(lambda: "ha" in child.text)
    assert child.new_lines() == ["all"]
    child.say("")
    wait_for(lambda: child.status == 0)
    assert child.new_lines() == ["half"]


PARENT = """
import os, sys, time
from pathlib import Path
from amigobot_tools.demo.processes import Child
sleep = [sys.executable, "-S", "-c", "import os, time; print(os.getpid()); time.sleep(60)"]
child = Child("child", sleep, Path(sys.argv[1]), os.environ)
time.sleep(60)
"""


def test_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(log)], cwd=ROOT)
    wait_for(lambda: log.exists() and log.read_text().endswith("\n"))
    child = int(log.read_text())
    assert running(child)
    parent.kill()
    parent.wait()
    wait_for(lambda: not running(child))


def running(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_domains_are_given_to_one_at_a_time() -> None:
    with free_domain() as one, free_domain() as other:
        assert one != other


# --- what is made of a recording -------------------------------------------------------------------------------


def track(*poses: tuple[float, float, float]) -> Track:
    return Track.of([(0.1 * number, *pose) for number, pose in enumerate(poses)])


def recording(**changes: object) -> Recording:
    odometry = track(*((0.05 * number, 0.0, 0.0) for number in range(101)))
    good = Recording(
        counts={},
        kinds={},
        rates={},
        expected={"/odom": 10.0, "/tf": 10.0, "/robot_config": math.nan},
        robot="Amigo",
        profile=AMIGO,
        odometry=odometry,
        hits=(np.empty(0), np.empty(0)),
        received=100,
        lost=0,
        corrupt=0,
        seconds=10.0,
    )
    rates = {topic: 0.0 if math.isnan(rate) else rate for topic, rate in good.expected.items()}
    values = {name: getattr(good, name) for name in Recording.__slots__}
    return Recording(**{**values, "counts": dict.fromkeys(rates, 1), "rates": rates, **changes})  # type: ignore[arg-type]


def test_a_good_recording_has_no_faults() -> None:
    assert list(check_recording(recording(), planned=5.0)) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"counts": {}}, "no /odom came"),
        ({"rates": {**recording().rates, "/tf": 5.0}}, r"/tf came at 5\.0 Hz, expected 10\.0"),
        ({"odometry": track((0, 0, 0), (0.1, 0, 0))}, r"drove only 0\.10 m"),
        ({"odometry": track((0, 0, 0), (9, 0, 0))}, r"drove 9\.00 m on a path of 5\.00 m"),
        ({"lost": 2, "corrupt": 1}, "of 100 packets 2 were lost and 1 corrupt"),
    ],
)
def test_faults_of_a_recording(changes: dict[str, object], fault: str) -> None:
    assert any(re.search(fault, found) for found in check_recording(recording(**changes), planned=5.0))


@pytest.mark.parametrize(
    ("times", "lost"),
    [
        ([0.0, 0.1, 0.2, 0.3], 0),
        ([0.0, 0.1, 0.3, 0.4], 1),
        ([0.0, 0.1, 0.28, 0.30, 0.4], 0),  # one came late
        ([0.0, 0.1, 0.7, 0.8], 5),
        ([0.1002 * number for number in range(1000)], 0),  # the robot's clock is a little slow
        ([0.0], 0),
    ],
)
def test_packets_lost(times: list[float], lost: int) -> None:
    assert lost_packets(np.array(times), 0.1) == lost


def test_odometry_is_laid_where_the_tour_began() -> None:
    """It may not have begun at its origin, and the truth is turned by a quarter."""
    odometry = track(*((1.0 + 0.05 * number, 1.0, 0.0) for number in range(40)))
    truth = track(*((7.0, 2.0 + 0.05 * number, math.pi / 2) for number in range(40)))
    comparison = compare(odometry, truth)
    assert (comparison.end, comparison.end_angle) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert comparison.max_deviation == pytest.approx(0.0, abs=1e-9)
    assert comparison.origin == pytest.approx(Pose(8.0, 1.0, math.pi / 2))
    assert list(check_comparison(comparison)) == []


def test_odometry_that_is_off() -> None:
    odometry = track(*((0.05 * number, 0.0, 0.0) for number in range(40)))
    truth = track(*((0.05 * number, 0.005 * number, 0.0) for number in range(40)))
    comparison = compare(odometry, truth)
    assert comparison.end == pytest.approx(0.195)
    assert comparison.max_deviation > 0.15
    assert "odometry is 19.5 cm" in next(check_comparison(comparison))


def test_late_packets_do_not_count_against_odometry() -> None:
    poses = [(0.05 * number, 0.0, 0.0) for number in range(40)] + [(1.95, 0.0, 0.0)] * 10
    late = Track.of([(0.1 * number + (0.08 if number == 20 else 0.0), *pose) for number, pose in enumerate(poses)])
    assert compare(late, track(*poses)).max_deviation < 0.005


def test_a_track_without_poses() -> None:
    with pytest.raises(RecordingError):
        Track.of([])


def test_outlines_of_a_world() -> None:
    picture = pytest.importorskip("amigobot_tools.demo.picture", reason="matplotlib is not installed")
    chains = list(picture.outlines(load_world("room").segments))
    assert len(chains) == 13
    assert all(chain[0] == chain[-1] for chain in chains)
    walls = [chain for chain in picture.outlines(load_world("office").segments) if chain[0] != chain[-1]]
    assert len(walls) == 10
