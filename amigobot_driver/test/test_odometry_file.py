# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A driver that was killed: its successor continues the odometry from a file, or says why it starts at zero."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from amigobot_driver.odometry_file import OdometryFile, OdometryFileError, OdometryKeeper, default_path
from amigobot_driver.robot import OdometryState, Options, Robot

NODE, PORT = "/amigobot", "/dev/ttyUSB0"
MAX_AGE = 60.0
STATE = OdometryState(
    name="Amigo_7",
    robot_class="Pioneer",
    subclass="amigo",
    profile="amigo",
    stamp=1234.5,
    x=1.5,
    y=-2.25,
    yaw=0.75,
    left_angle=31.0,
    right_angle=29.0,
    covariance=(0.01, 0.0, 0.0, 0.02, 0.001, 0.03),
    counter_x=32000,
    counter_y=17,
    counter_heading=-2048,
    left_velocity=-5,
    right_velocity=5,
)


@pytest.fixture
def file(tmp_path: Path) -> OdometryFile:
    return OdometryFile(tmp_path / "state" / "odometry.json", NODE, PORT)


class TestFile:
    def test_gives_back_what_was_saved(self, file: OdometryFile) -> None:
        file.save(STATE)
        assert file.load() == STATE
        file.save(replace(STATE, x=7.0))
        assert file.load() == replace(STATE, x=7.0)
        assert os.listdir(file.path.parent) == [file.path.name]

    def test_that_is_not_there_is_no_error(self, file: OdometryFile) -> None:
        assert file.load() is None

    @pytest.mark.parametrize("length", [0, 1, 40, 200, 400])
    def test_that_is_truncated_is_refused(self, file: OdometryFile, length: int) -> None:
        file.save(STATE)
        file.path.write_bytes(file.path.read_bytes()[:length])
        with pytest.raises(OdometryFileError, match="is damaged"):
            file.load()

    @pytest.mark.parametrize(
        ("key", "value", "reason"),
        [
            ("version", 2, "version is 2, allowed: 1"),
            ("version", "1", "version is '1'"),
            ("node", "/other/amigobot", "another node or port"),
            ("port", "/dev/ttyUSB1", "another node or port"),
            ("boot", "another", "computer was restarted"),
            ("format", "recipe", "not an odometry file"),
            ("state", {}, "damaged"),
            ("state", None, "damaged"),
        ],
    )
    def test_of_another_kind_is_refused(self, file: OdometryFile, key: str, value: object, reason: str) -> None:
        change(file, lambda content: content.update({key: value}))
        with pytest.raises(OdometryFileError, match=reason):
            file.load()

    @pytest.mark.parametrize("content", [b"amigobot:\n  ros__parameters:\n", b'{"format": "recipe"}', b"7"])
    def test_with_foreign_content_is_never_replaced(self, file: OdometryFile, content: bytes) -> None:
        file.path.parent.mkdir()
        file.path.write_bytes(content)
        for use in (file.load, lambda: file.save(STATE)):
            with pytest.raises(OdometryFileError, match="is not an odometry file: it stays as it is; remove it, or"):
                use()
        assert file.path.read_bytes() == content
        assert os.listdir(file.path.parent) == [file.path.name]

    @pytest.mark.parametrize("length", [0, 1, 40, 400])
    def test_that_is_truncated_is_replaced(self, file: OdometryFile, length: int) -> None:
        file.save(STATE)
        file.path.write_bytes(file.path.read_bytes()[:length])
        file.save(STATE)
        assert file.load() == STATE

    @pytest.mark.parametrize("suffix", ["", ".new"])
    def test_that_lost_its_content_in_a_power_cut_is_replaced(self, file: OdometryFile, suffix: str) -> None:
        file.path.parent.mkdir()
        file.path.with_name(f"{file.path.name}{suffix}").write_bytes(bytes(600))
        if not suffix:
            with pytest.raises(OdometryFileError, match="is damaged and will be replaced"):
                file.load()
        file.save(STATE)
        assert file.load() == STATE
        assert os.listdir(file.path.parent) == [file.path.name]

    @pytest.mark.parametrize("exists", [True, False])
    def test_behind_a_symbolic_link_is_written_and_the_link_stays(
        self, file: OdometryFile, tmp_path: Path, exists: bool
    ) -> None:
        target = tmp_path / "persistent" / "pose.json"
        target.parent.mkdir()
        if exists:
            target.touch()
        file.path.parent.mkdir()
        file.path.symlink_to(target)
        file.save(STATE)
        assert file.path.is_symlink()
        assert file.load() == OdometryFile(target, NODE, PORT).load() == STATE

    def test_that_cannot_be_written_is_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(OdometryFileError, match="cannot be written: "):
            OdometryFile(tmp_path / "file" / "odometry.json", NODE, PORT).save(STATE)

    def test_is_another_one_for_each_node_and_port(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        paths = {
            default_path(node, port)
            for node in ("/amigobot", "/alpha/amigobot", "/alpha_amigobot")
            for port in ("/dev/ttyUSB0", "/dev/ttyUSB1", "socket://10.0.0.1:8101", "/dev/ttyUSB*", "x" * 500)
        }
        assert len(paths) == 15
        assert {path.parent for path in paths} == {tmp_path / "amigobot"}
        assert all(len(path.name) < 100 for path in paths)


def change(file: OdometryFile, edit: Callable[[Any], object]) -> None:
    file.save(STATE)
    content = json.loads(file.path.read_text())
    edit(content)
    file.path.write_text(json.dumps(content))


class FakeDriver:
    """Gives the keeper a robot whose state the test sets."""

    def __init__(self) -> None:
        self.state: OdometryState | None = None

    @contextmanager
    def robot(self) -> Any:
        yield self

    def odometry_state(self) -> OdometryState | None:
        return self.state


class TestKeeper:
    def test_writes_a_pose_that_was_set_and_the_last_state_at_its_end(self, file: OdometryFile) -> None:
        driver, lines = FakeDriver(), []
        keeper = OdometryKeeper(driver, file, report=lines.append)  # type: ignore[arg-type]
        keeper.start()
        driver.state = STATE
        keeper.notice(1)
        wait_until(lambda: file.load() == STATE)
        driver.state = replace(driver.state, x=9.0)
        keeper.close()
        keeper.close()
        assert file.load() == driver.state
        assert not lines

    def test_says_once_that_the_file_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        driver, lines = FakeDriver(), []
        file = OdometryFile(tmp_path / "file" / "odometry.json", NODE, PORT)
        keeper = OdometryKeeper(driver, file, report=lines.append)  # type: ignore[arg-type]
        for x in range(3):
            driver.state = replace(STATE, x=float(x))
            keeper._save()
        (line,) = lines
        assert "cannot be written" in line
        assert threading.active_count() < 50


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


# -- the successor of a driver that was killed, on the simulated clock --------------------------------------------


def killed(bench: Bench) -> OdometryState:
    """The driver is gone without a word; what its file holds."""
    state = bench.robot.odometry_state()
    assert state is not None
    bench.awake = False
    return state


def restart(bench: Bench, state: OdometryState | None, options: Options | None = None) -> str:
    """Start a new driver; what it says of the odometry."""
    bench.robot = Robot(options or Options())
    bench.awake = True
    bench.down.cut()
    if state is not None:
        bench.robot.continue_odometry(state, MAX_AGE)
    bench.plug_in()
    bench.until(lambda: bench.robot.running, within=60)
    bench.run(1)
    said = [text for text in bench.notices if text.startswith("odometry ")]
    return said[-1] if said else ""


def error(bench: Bench) -> tuple[float, float]:
    """From the truth: m, rad."""
    state, truth = bench.robot.estimator.odometer.state, bench.simulator.truth.pose
    return (
        math.hypot(state.x - truth.x, state.y - truth.y),
        abs(math.remainder(state.yaw - truth.heading, math.tau)),
    )


def driven(robot: str, velocity: tuple[float, float] = (0.25, 0.3), *, options: Options | None = None) -> Bench:
    bench = Bench(options or Options(), robot)
    bench.connect()
    bench.run(5, cmd_vel=(0.3, 0.4))
    bench.run(4, cmd_vel=velocity)
    return bench


@pytest.mark.parametrize("velocity", [(0.25, 0.3), (0.0, 0.0)])
@pytest.mark.parametrize("robot", ["amigo", "erratic"])
def test_the_successor_continues_with_the_way_rolled_meanwhile(robot: str, velocity: tuple[float, float]) -> None:
    bench = driven(robot, velocity)
    state = killed(bench)
    before = bench.simulator.truth.pose
    bench.advance(bench.now + 8)
    rolled = math.hypot(bench.simulator.truth.pose.x - before.x, bench.simulator.truth.pose.y - before.y)
    assert rolled > 0.3 or not velocity[0]
    assert "odometry continues" in restart(bench, state)
    off, turned = error(bench)
    assert off < 0.008
    assert turned < 0.012
    angle = bench.robot.estimator.odometer.state.left_angle
    assert angle * bench.robot.profile.body.wheel_diameter / 2 == pytest.approx(
        bench.simulator._body.left.travel, abs=0.02
    )


def test_a_state_that_is_nine_seconds_old_when_the_driver_is_killed() -> None:
    """The counters say where the robot went since, on any path."""
    bench = driven("amigo")
    state = bench.robot.odometry_state()
    bench.run(9, cmd_vel=(0.3, -0.8))
    killed(bench)
    bench.advance(bench.now + 3)
    assert "odometry continues" in restart(bench, state)
    assert error(bench)[0] < 0.008


def test_a_pose_that_was_set_is_continued() -> None:
    bench = driven("amigo", (0.0, 0.0))
    bench.run(1)
    bench.robot.set_odometry(10.0, -5.0, 1.0)
    state = killed(bench)
    bench.advance(bench.now + 5)
    assert "odometry continues" in restart(bench, state)
    odometry = bench.robot.estimator.odometer.state
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((10.0, -5.0, 1.0), abs=0.002)


def test_a_pose_set_before_the_first_packet_wins() -> None:
    bench = driven("amigo", (0.0, 0.0))
    state = killed(bench)
    bench.robot = Robot(Options())
    bench.awake = True
    bench.robot.continue_odometry(state, MAX_AGE)
    bench.robot.set_odometry(1.0, 2.0, 0.5)
    bench.connect()
    odometry = bench.robot.estimator.odometer.state
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((1.0, 2.0, 0.5), abs=0.002)


def test_counters_zeroed_while_the_robot_was_at_rest() -> None:
    bench = driven("amigo", (0.0, 0.0))
    bench.run(1)
    state = killed(bench)
    bench.simulator.reset()
    bench.advance(bench.now + 4)
    assert "its counters were zeroed since, it was at rest" in restart(bench, state)
    assert error(bench)[0] < 0.006


class TestStartsAtZero:
    def check(self, bench: Bench, state: OdometryState, reason: str) -> None:
        said = restart(bench, state)
        assert said.startswith("odometry starts at zero: ")
        assert reason in said
        odometry = bench.robot.estimator.odometer.state
        assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((0, 0, 0), abs=1e-9)

    def test_after_a_reset_while_it_was_driving(self) -> None:
        bench = driven("amigo")
        state = killed(bench)
        bench.simulator.reset()
        bench.advance(bench.now + 4)
        self.check(bench, state, "counters were zeroed while it was driving")

    def test_when_the_state_is_too_old(self) -> None:
        bench = driven("amigo", (0.0, 0.0))
        bench.run(2)
        state = killed(bench)
        bench.advance(bench.now + MAX_AGE + 1)
        self.check(bench, state, "s old, allowed: 0 to 60 s")

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"name": "Amigo_8"}, "another robot, 'Amigo_8'"),
            ({"subclass": "amigo-sh"}, "another robot"),
            ({"profile": "generic"}, "with the profile generic"),
            ({"stamp": 1e8}, "s old, allowed"),
            ({"counter_x": 9000}, "more than it rolls in"),
        ],
    )
    def test_when_the_state_does_not_fit(self, change: dict[str, Any], reason: str) -> None:
        bench = driven("amigo", (0.0, 0.0))
        bench.run(2)
        state = killed(bench)
        bench.advance(bench.now + 3)
        self.check(bench, replace(state, **change), reason)
