# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calibration: what is found on a simulated robot with wrong wheels is the truth, and the driver uses it."""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from bench import Bench
from processes import SimulatedRobot, terminal, until

from amigobot_driver import AmigoBot, Options, Report
from amigobot_driver.cli import UsageError, main
from amigobot_driver.profiles import Calibration, load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.sim import Simulator, Wear, load_world
from amigobot_driver.sim.activmedia import commands
from amigobot_tools import calibrate
from amigobot_tools.calibrate.calibration_session import Motion, square, turns
from amigobot_tools.calibrate.fit import Correction, Measured, Step, combined, fit
from amigobot_tools.geometry import Pose

AMIGO = load_profile("amigo")
TRACK = AMIGO.body.track
WEAR = Wear(left_scale=1.02, right_scale=0.99, track_scale=1.03)


@dataclass
class Driven:
    """A drive in simulated time: what the robot reported, and where it went."""

    steps: list[Step]
    x: float
    y: float
    turned: float


def worn(robot: str, wear: Wear = WEAR, profile: str = "") -> Bench:
    """A driver and a robot whose wheels are not those of its model, connected."""
    bench = Bench(
        Options(profile=profile),
        robot,
        simulator=lambda: Simulator(load_profile(robot), load_world("empty"), wear=wear, baud=0),
    ).connect()
    return bench


def true_pose(bench: Bench) -> Pose:
    pose = bench.simulator.truth.pose
    return Pose(pose.x, pose.y, pose.heading)


def drive(bench: Bench, motions: list[Motion]) -> Driven:
    """Drive to the end."""
    begin, first, start = bench.now, bench.reports[-1], true_pose(bench)
    for kind, amount in motions:
        goal = bench.request(lambda: getattr(bench.robot, kind)(amount, bench.now))  # noqa: B023
        while not goal.ended.done():
            bench.run(0.1)
        assert goal.ended.result().success
    bench.run(1.0)
    steps = [
        (b.odometry.travelled - a.odometry.travelled, b.odometry.turned - a.odometry.turned)
        for a, b in pairwise([first, *bench.emitted(Report, begin)])
    ]
    end = true_pose(bench).seen_from(start)
    whole = math.tau * round(sum(amount for kind, amount in motions if kind == "turn") / math.tau)
    return Driven(steps, end.x, end.y, whole + end.yaw)


@functools.cache
def calibrated(robot: str, wear: Wear = WEAR) -> Correction:
    """The correction after all three steps, measured without an error."""
    bench = worn(robot, wear)
    rounds = drive(bench, turns(2))
    straight = drive(bench, [("move", 1.5)])
    squares = [drive(bench, square(0.7, left=left)) for left in (True, False)]
    found = fit(
        [
            Measured(steps=rounds.steps, turned=rounds.turned),
            Measured(steps=straight.steps, distance=math.hypot(straight.x, straight.y)),
            *(Measured(steps=square.steps, x=square.x, y=square.y) for square in squares),
        ],
        bench.robot.profile.body.track,
    )
    assert found.worst < 1.0
    return found.correction


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "p3dx"])
def test_the_correction_is_the_difference_between_wheels_and_model(robot: str) -> None:
    correction = calibrated(robot)
    mean, unequal = (WEAR.left_scale + WEAR.right_scale) / 2, WEAR.right_scale - WEAR.left_scale
    # The ticks of the simulated firmware do not fit its profile to the last digit (docs/protocol/odometry.md).
    assert correction.scale == pytest.approx(mean, abs=0.003)
    assert correction.turn == pytest.approx(mean / WEAR.track_scale, abs=0.004)
    assert correction.unequal == pytest.approx(unequal / WEAR.track_scale, abs=0.003)


def error(bench: Bench) -> float:
    """How far odometry ends from the truth (m) after a figure that no calibration drives."""
    start, truth = bench.reports[-1].odometry, true_pose(bench)
    for velocity, seconds in (((0.3, 0.0), 8), ((0.2, 0.8), 12), ((0.3, -0.3), 10), ((-0.2, 0.0), 4), ((0.0, 0.0), 3)):
        bench.run(seconds, cmd_vel=velocity)
    odometry, end = bench.reports[-1].odometry, true_pose(bench)
    driven = Pose(odometry.x, odometry.y, odometry.yaw).seen_from(Pose(start.x, start.y, start.yaw))
    return math.dist(driven.transformed_by(truth)[:2], end[:2])


@pytest.mark.parametrize(("robot", "rev_count"), [("amigo", True), ("amigo-sh", False)])
def test_odometry_with_the_file_is_true(robot: str, rev_count: bool, tmp_path: Path) -> None:
    bench = worn(robot)
    own = bench.robot.tuning.config.value("rev_count") if rev_count else 0
    found = combined(Calibration(rev_count=own), calibrated(robot))
    file = tmp_path / "mine.yaml"
    file.write_text(calibrate.text("mine", bench.robot.profile, calibrate.with_rev_count(found)))
    before, after = error(bench), error(worn(robot, profile=str(file)))
    assert before > 0.4
    assert after < 0.04


@pytest.mark.parametrize("known", [True, False])
def test_a_rev_count_without_a_command_is_kept(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2OS before 1.M and AmigOS before 1.3 report a RevCount and ignore REVCOUNT."""
    if not known:
        monkeypatch.delitem(commands.HANDLERS, Command.REVCOUNT)
    with AmigoBot("sim://p2at?world=empty&baud=0") as robot:
        reported = robot.get_config()["rev_count"]
        assert calibrate._rev_count(robot) == (reported if known else 0)
        assert robot.get_config()["rev_count"] == reported


@pytest.mark.parametrize(("has_gyro", "rev_count"), [(1, 16570), (2, 0), (3, 0)])
def test_a_rev_count_is_kept_where_the_gyro_turns(has_gyro: int, rev_count: int) -> None:
    config = {"rev_count": 16570, "has_gyro": has_gyro}
    robot = cast(AmigoBot, SimpleNamespace(get_config=lambda: config, set_config=config.update))
    assert calibrate._rev_count(robot) == rev_count


def test_what_was_not_measured_is_not_corrected() -> None:
    steps = [(0.0, 0.1)] * 100
    found = fit([Measured(steps=steps, turned=10.2)], TRACK)
    assert found.correction == Correction(1.0, pytest.approx(1.02), 0.0)
    assert found.deviation.scale == found.deviation.unequal == math.inf
    assert 0.001 < found.deviation.turn < 0.002


# --- the subcommand --------------------------------------------------------------------------------------------------


SHORT = ("--steps", "turns", "--turns", "1", "--rate", "1.5")
WORN = "sim://amigo?world=empty&baud=115200&wear=left_scale=1.05;right_scale=1.05;track_scale=1.1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "amigobot" / "robots"


Amigobot = Callable[..., int]


@pytest.fixture
def amigobot(own_subcommands: None) -> Amigobot:
    """The subcommand."""
    return lambda *arguments: main(["calibrate", *arguments])


def test_calibration_is_loaded_by_the_name_of_the_robot(
    home: Path, amigobot: Amigobot, capsys: pytest.CaptureFixture[str]
) -> None:
    assert amigobot("--port", f"{WORN}&name=Rob", *SHORT, "--yes", "--json") == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["file"] == str(home / "Rob.yaml")
    assert result["rev_count"] == pytest.approx(23310 * 1.1 / 1.05, rel=0.01)
    assert "it measures itself" in err
    for name, rev_count in (("Rob", result["rev_count"]), ("Another", 0)):
        bench = Bench(simulator=lambda: Simulator(AMIGO, name=name))  # noqa: B023
        bench.connect()
        assert bench.robot.profile.calibration.rev_count == rev_count
        assert bench.robot.tuning.config.value("rev_count") == (rev_count or 23310)


def test_a_robot_without_a_name_needs_a_file(
    home: Path, amigobot: Amigobot, capsys: pytest.CaptureFixture[str]
) -> None:
    assert amigobot("--port", WORN, *SHORT) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "this robot has no name of its own: name the file with --out FILE" in line
    assert not home.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("extends: amigo\ncalibration: {left_wheel: -1}", "left_wheel"),
        ("extends: p3dx\ncalibration: {left_wheel: 1.1}", "is for p3dx"),
    ],
)
def test_an_unusable_calibration_is_left_out_with_its_reason(home: Path, content: str, reason: str) -> None:
    home.mkdir(parents=True)
    (home / "Rob.yaml").write_text(content)
    bench = Bench(simulator=lambda: Simulator(AMIGO, name="Rob")).connect()
    assert bench.robot.profile == AMIGO
    assert "its calibration cannot be used" in bench.robot.profile_reason
    assert reason in bench.robot.profile_reason


def test_wrong_options_are_one_line(amigobot: Amigobot, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        amigobot("--steps", "turns,dance")
    assert "is 'turns,dance', allowed: turns, straight, square" in capsys.readouterr().err
    assert amigobot("--out", "/dev/null/rob.yaml") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "/dev/null" in line


def test_a_profile_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("extends: amigo\nbody: {mass: 5.0}\n")
    with pytest.raises(UsageError, match=r"put this into it: calibration: \{left_wheel: 1\.1\}"):
        calibrate.text("Rob", load_profile(str(file)), Calibration(left_wheel=1.1))


# --- a robot that does not measure itself ----------------------------------------------------------------------


def test_a_user_confirms_measures_and_has_the_file_written(robot: SimulatedRobot, tmp_path: Path) -> None:
    file = tmp_path / "new" / "rob.yaml"
    drive = ("--steps", "straight", "--distance", "0.4", "--out", str(file))
    with terminal("calibrate", "--port", robot.port, *drive) as tool:
        tool.wait_for("Enter: done, s: skip, q: end")
        assert robot.speed == 0
        tool.type("\n")
        tool.wait_for("How far is the wheel from the mark? [cm; empty: skip]")
        assert robot.speed == 0
        tool.type("far\n")
        tool.wait_for("from -1000 to 1000 cm")
        driven = robot.truth[-1]["x"] - robot.truth[0]["x"]
        tool.type(f"{driven * 105:.2f}\n".replace(".", ","))
        tool.wait_for(f"Write this to {file}? [y/N]")
        assert not file.exists()
        tool.type("y\n")
        assert tool.wait() == 0
    assert load_profile(str(file)).calibration.scale == pytest.approx(1.05, abs=0.005)


def test_any_key_stops_the_robot_and_nothing_is_written(robot: SimulatedRobot, tmp_path: Path) -> None:
    file = tmp_path / "rob.yaml"
    with terminal("calibrate", "--port", robot.port, "--steps", "straight", "--out", str(file)) as tool:
        tool.wait_for("Enter: done")
        tool.type("\n")
        until(lambda: robot.speed > 0.1, "the robot drives")
        tool.type("x")
        pressed = time.monotonic()
        assert robot.seconds_until_rest(pressed) < 2.0
        tool.wait_for("a key was pressed, the robot is stopped; nothing was written")
        assert tool.wait() == 1
    assert not file.exists()
