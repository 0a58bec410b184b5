# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Nav2's parameters for every profile: the body inside every shape, every sonar in every list, no velocity too high."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from amigobot_driver.profiles import ProfileError, available_profiles, load_profile
from amigobot_navigation import nav2_params
from amigobot_navigation.nav2 import fit_nav2, footprint, footprint_problem

CONFIG = Path(__file__).resolve().parents[1] / "config"
FILES = ("nav2.yaml", "nav2_before_lyrical.yaml")
CONTENT = {name: yaml.safe_load((CONFIG / name).read_text(encoding="utf-8")) for name in FILES}
#: A robot without sonars cannot use these parameters.
ROBOTS = [name for name in available_profiles() if load_profile(name).sonar.poses]
Point = tuple[float, float]


@pytest.fixture(autouse=True)
def files_of_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build of Debian tests before it installs."""
    monkeypatch.setattr(nav2_params, "get_package_share_directory", lambda package: str(CONFIG.parent))


def fitted(robot: str, file: str = "nav2.yaml") -> Any:
    return fit_nav2(CONTENT[file], load_profile(robot))


def node(content: Any, name: str) -> dict[str, Any]:
    parameters: dict[str, Any] = content[name]["ros__parameters"]
    return parameters


def costmaps(content: Any) -> list[dict[str, Any]]:
    return [node(content[name], name) for name in ("local_costmap", "global_costmap")]


def shapes(content: Any) -> dict[str, list[Point]]:
    """The shapes of the collision monitor, by name."""
    monitor = node(content, "collision_monitor")
    named = {name: monitor[name] for name in monitor["polygons"]}
    named |= {name: monitor["Approach"][name] for name in monitor["Approach"]["velocity_polygons"]}
    return {name: json.loads(shape["points"]) for name, shape in named.items() if "points" in shape}


def distance_inside(point: Point, polygon: list[Point]) -> float:
    """How deep a point lies in a convex polygon that runs clockwise (m); negative outside."""
    deepest = math.inf
    for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        cross = (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)
        deepest = min(deepest, -cross / math.hypot(x1 - x0, y1 - y0))
    return deepest


@pytest.mark.parametrize("file", FILES)
def test_the_parameter_files_are_those_of_an_amigobot(file: str) -> None:
    assert fitted("amigo", file) == CONTENT[file]


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_footprint_of_both_costmaps_is_the_body(robot: str) -> None:
    body = load_profile(robot).body
    corners = {(x, y) for x in (body.front, -body.rear) for y in (body.width / 2, -body.width / 2)}
    for costmap in costmaps(fitted(robot)):
        found = [tuple(corner) for corner in json.loads(costmap["footprint"])]
        assert len(found) == 4
        for corner in corners:
            assert min(math.dist(corner, other) for other in found) < 1e-3


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_monitor_shape_contains_the_body_narrowly(robot: str) -> None:
    for name, polygon in shapes(fitted(robot)).items():
        depths = [distance_inside(corner, polygon) for corner in footprint(load_profile(robot).body)]
        assert min(depths) >= 0.02 - 1e-3, name
        assert min(depths) <= 0.07, name


def test_every_robot_has_its_sonars_in_costmaps_and_monitor() -> None:
    counts = set()
    for robot in ROBOTS:
        content, count = fitted(robot), len(load_profile(robot).sonar.poses)
        counts.add(count)
        for costmap in costmaps(content):
            assert costmap["range_layer"]["topics"] == [f"/sonar/range_{number}" for number in range(count)], robot
        monitor = node(content, "collision_monitor")
        assert monitor["observation_sources"] == [f"sonar_{number}" for number in range(count)], robot
        for number in range(count):
            assert monitor[f"sonar_{number}"] == {"type": "range", "topic": f"sonar/range_{number}", "enabled": True}
        assert not any(name.startswith("sonar_") and int(name[6:]) >= count for name in monitor), robot
    assert {8, 16, 32} <= counts


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize(("shape", "direction"), [("forward", 1), ("backward", -1)])
def test_every_robot_stops_before_its_sonars_go_deaf(robot: str, shape: str, direction: int) -> None:
    """An echo from nearer than their minimum reads as free, so the shape ends at least 2 cm further out."""
    sonar = load_profile(robot).sonar
    polygon = shapes(fitted(robot))[shape]
    for pose in sonar.poses:
        if direction * math.cos(pose.heading) > 0.5:
            reach = sonar.min_range + 0.02
            point = (pose.x + reach * math.cos(pose.heading), pose.y + reach * math.sin(pose.heading))
            assert distance_inside(point, polygon) > 0.0, pose


@pytest.mark.parametrize("robot", ROBOTS)
def test_inflation_and_local_costmap_grow_with_the_body(robot: str) -> None:
    profile = load_profile(robot)
    for costmap in costmaps(fitted(robot)):
        margin = costmap["inflation_layer"]["inflation_radius"] - profile.body.radius
        assert 0.2 < margin < 0.3
        for size in (costmap[name] for name in ("width", "height") if name in costmap):
            assert isinstance(size, int)
            assert size / 2 > profile.body.radius + 0.6, "what the controller looks at must be inside"


@pytest.mark.parametrize("file", FILES)
def test_no_velocity_is_beyond_a_slow_robot(file: str, tmp_path: Path) -> None:
    path = tmp_path / "slow.yaml"
    path.write_text("extends: amigo\nname: slow\nlimits: {linear: 0.1, angular: 0.25}\n", encoding="utf-8")
    content = fitted(str(path), file)
    follower = node(content, "controller_server")["FollowPath"]
    for name, limit in (
        ("max_linear_vel", 0.1),
        ("desired_linear_vel", 0.1),
        ("max_angular_vel", 0.25),
        ("rotate_to_heading_angular_vel", 0.25),
    ):
        assert follower.get(name, 0.0) <= limit
    assert follower.get("min_angular_vel", 0.0) >= -0.25
    if file == "nav2.yaml":
        smoother = node(content, "velocity_smoother")
        assert (smoother["max_velocity"], smoother["min_velocity"]) == ([0.1, 0.0, 0.25], [-0.1, 0.0, -0.25])
        behaviors = node(content, "behavior_server")
        assert behaviors["min_rotational_vel"] <= behaviors["max_rotational_vel"] == 0.25


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_silent_sonar_stops_every_robot_in_two_seconds(robot: str) -> None:
    """Sonars fire one after the other on a board of eight; boards fire side by side."""
    sonar = load_profile(robot).sonar
    timeout = node(fitted(robot), "collision_monitor")["source_timeout"]
    assert 2 * min(8, len(sonar.poses)) * sonar.cycle < timeout < 2.0


def test_a_robot_without_sonars_is_refused_with_a_remedy() -> None:
    with pytest.raises(ProfileError, match=r"generic has no sonars.*params_file"):
        fitted("generic")


def test_other_sources_and_missing_nodes_stay_as_they_are() -> None:
    """A file of one's own may have a laser, or only some of the nodes."""
    p3at = load_profile("p3at")
    monitor = {"observation_sources": ["scan", "sonar_0"], "scan": {"type": "scan"}, "sonar_0": {"type": "range"}}
    content = fit_nav2({"collision_monitor": {"ros__parameters": monitor}}, p3at)
    assert set(content) == {"collision_monitor"}
    assert node(content, "collision_monitor")["observation_sources"] == [*(f"sonar_{i}" for i in range(16)), "scan"]
    assert node(content, "collision_monitor")["scan"] == {"type": "scan"}
    assert fit_nav2({}, p3at) == {}


def test_a_too_small_footprint_is_told_with_both_sizes() -> None:
    problem = footprint_problem(CONTENT["nav2.yaml"], load_profile("p3at"))
    assert "0.330 x 0.280 m" in problem
    assert "p3at, which is 0.626 x 0.505 m" in problem


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_sufficient_footprint_is_no_problem(robot: str) -> None:
    assert footprint_problem(fitted(robot), load_profile(robot)) == ""
    assert footprint_problem(fitted("powerbot-sh"), load_profile("amigo")) == ""


# --- nav2_params: the file as the start of one's own ------------------------------------------------------------


@pytest.fixture(autouse=True)
def newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DISTRO", "lyrical")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command prints, as ROS reads it: without aliases."""
    assert nav2_params.main([*arguments]) == 0
    text = capsys.readouterr().out
    assert not re.search(r"[:,\[-] ?[&*]\w", text), "ROS reads no aliases"
    return yaml.safe_load(text)


@pytest.mark.parametrize("robot", ["amigo", "p3dx", "powerbot-sh"])
def test_the_command_prints_the_parameters_of_the_launch_file(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, robot) == fitted(robot)


@pytest.mark.parametrize("robot", ["amigo", "p3dx"])
def test_a_laser_is_added_to_amcl_costmaps_and_monitor(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = printed(capsys, robot, "--laser", "front/scan")
    assert node(content, "amcl")["scan_topic"] == "front/scan"
    for costmap in costmaps(content):
        plugins = costmap["plugins"]
        assert plugins.index("obstacle_layer") == plugins.index("range_layer") - 1
        assert plugins[-1] == "inflation_layer"
        (source,) = [costmap["obstacle_layer"][name] for name in ("scan",)]
        assert costmap["obstacle_layer"]["observation_sources"] == "scan"
        assert source["topic"] == "/front/scan", "a relative name would be below that of the costmap"
        assert source["max_obstacle_height"] > load_profile(robot).body.height + 0.5, "the default of Nav2 is 0"
    monitor = node(content, "collision_monitor")
    assert monitor["observation_sources"] == [*node(fitted(robot), "collision_monitor")["observation_sources"], "scan"]
    assert monitor["scan"] == {"type": "scan", "topic": "front/scan", "enabled": True}


def test_a_robot_without_sonars_gets_its_laser_alone(capsys: pytest.CaptureFixture[str]) -> None:
    content = printed(capsys, "generic", "--laser", "scan")
    assert "sonar" not in json.dumps(content) and "range_layer" not in json.dumps(content)
    assert node(content, "collision_monitor")["observation_sources"] == ["scan"]
    assert footprint_problem(content, load_profile("generic")) == ""


@pytest.mark.parametrize(("robot", "reason"), [("generic", "has no sonars.*--laser"), ("p9", "p9.*p3dx")])
def test_a_file_that_cannot_be_made_is_an_error(robot: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert nav2_params.main([robot]) == 1
    output = capsys.readouterr()
    assert output.out == "" and re.search(reason, output.err)
