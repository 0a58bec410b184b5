# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several simulated robots in one world."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from bench import Bench

from amigobot_driver.cli import sim
from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import Simulator, World, WorldError, WorldPose, build_simulator, load_robots
from amigobot_driver.sim.server import Served


def test_a_robot_detects_another_by_sonar_until_it_leaves() -> None:
    profile = load_profile("amigo")
    mount = profile.sonar.poses[2]  # looks ahead and to the left
    robots: list[Simulator] = []
    for start in WorldPose(0.0, 0.0), WorldPose(1.2, 0.3):
        Simulator(profile, World("plain"), start=start, baud=0).share_world(robots)
    bench = Bench(simulator=lambda: robots[0]).connect()
    bench.run(2.0)
    rear = (1.2 - profile.body.rear - mount.x) / math.cos(mount.heading)
    assert bench.robot.estimator.newest[2].range == pytest.approx(rear, abs=0.05)
    robots[1].place(WorldPose(0.0, 30.0))
    bench.run(2.0)
    assert {ping.range for ping in bench.robot.estimator.newest.values()} == {math.inf}


# -- the file ---------------------------------------------------------------------------------------------------


def written(folder: Path, text: str) -> str:
    (folder / "robots.yaml").write_text(text)
    return str(folder / "robots.yaml")


def test_options_of_the_file_are_those_of_sim(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "world: empty\nrobots:\n  alpha: {tcp: 8101, start: [1, 2, 90], wear: {left_scale: 1.02, slip: 0.01},"
        " faults: {dead_sonars: 2, no_floor: 1}}\n  beta: {pty: /tmp/beta, robot: p3dx, start: [3, 2, 0]}",
    )
    robots = load_robots(path)
    assert [entry.name for entry in robots.robots] == ["alpha", "beta"]
    assert dict(robots.robots[0].options) == {
        "seed": "0",
        "name": "alpha",
        "start": "1,2,90",
        "wear": "left_scale=1.02;slip=0.01",
        "faults": "dead_sonars=2;no_floor=1",
    }
    simulators = robots.build()
    assert simulators["beta"].profile.name == "p3dx"
    assert simulators["alpha"].truth.pose == WorldPose(1.0, 2.0, math.pi / 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("world: office", "key 'robots' is missing"),
        ("robots: {}", "robots is {}, expected a mapping of 1 to 32 names to the options of each robot"),
        ("robots: {a: {}}", "robot a: give it one port, pty: PATH or tcp: PORT"),
        ("robots: {a: {pty: /tmp/a, tcp: 1}}", "robot a: give it one port, pty: PATH or tcp: PORT"),
        ("robots: {a: {pty: /tmp/a, wolrd: x}}", "robot a: key 'wolrd' is not known, allowed: pty, tcp, robot"),
        ("robots: {a: {pty: /tmp/a, robot: r2d2}}", "robot a: robot 'r2d2' is not known, allowed: "),
        ("robots: {a: {pty: /tmp/a}, b: {pty: /tmp/b}}", "another robot would be inside"),
        ("robots: {a: {pty: /tmp/a, robot: powerbot}, b: {pty: /tmp/b}}", "another robot would be inside"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(WorldError) as caught:
        load_robots(path).build()
    assert message in str(caught.value) and path in str(caught.value)


def test_a_served_fleet_ends_after_its_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ctrl-C in the terminal of `ros2 launch` reaches the simulator and the drivers at once."""
    monkeypatch.setattr(sim, "_CLOSE_TIMEOUT", math.inf)
    robot = build_simulator({"faults": "left_open=9600"})
    robot.advance(0.0)

    def check(_: Served, stopped: Callable[[], bool]) -> None:
        assert not stopped()
        robot.disconnect()
        assert stopped()

    monkeypatch.setattr(sim, "serve", check)
    sim.serve_open_sessions([Served(robot, Mock())])
