# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The navigation package: parameters that fit robot and driver, maps that fit the worlds, launch files that fit all."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from launch_files import Started, started
from test_nav2_of_each_robot import distance_inside
from tools import maps

from amigobot_driver.profiles import load_profile
from amigobot_driver.ros.launch_parameters import parameters_in
from amigobot_driver.sim import load_world
from amigobot_driver.transport.simulated import simulator_of
from amigobot_navigation.names import fitted_file

PACKAGE = Path(__file__).parents[1] / "amigobot_navigation"
PARAMETER_FILES = sorted((PACKAGE / "config").glob("*.yaml"))
NAV2 = yaml.safe_load((PACKAGE / "config" / "nav2.yaml").read_text(encoding="utf-8"))
COSTMAPS = [NAV2[name][name]["ros__parameters"] for name in ("local_costmap", "global_costmap")]
ROBOT = load_profile("amigo")


def of(node: str) -> dict[str, Any]:
    parameters: dict[str, Any] = NAV2[node]["ros__parameters"]
    return parameters


# --- parameters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PARAMETER_FILES, ids=lambda path: path.name)
def test_ros_reads_the_parameter_files(path: Path) -> None:
    """Its reader takes less than YAML allows: no aliases, no lists of mixed types."""
    rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed")
    context = rclpy.Context()
    rclpy.init(args=["--ros-args", "--params-file", str(path)], context=context)
    rclpy.shutdown(context=context)


@pytest.mark.parametrize("costmap", COSTMAPS)
def test_costmaps_take_the_silence_of_a_sonar(costmap: dict[str, Any]) -> None:
    layer = costmap["range_layer"]
    assert layer["clear_on_max_reading"]
    # Nav2's layer does not recover from it by itself, and Nav2 is there before the robot is.
    assert layer.get("no_readings_timeout", 0.0) == 0.0


def test_the_monitor_looks_less_far_than_silence() -> None:
    monitor = of("collision_monitor")
    # The correction waits for the transform of now, which comes with the next SIP: velocities grow too old to be taken.
    assert monitor["base_shift_correction"] is False
    for x, y in json.loads(monitor["Slow"]["points"]):
        assert math.hypot(x, y) < ROBOT.sonar.max_range / 2
        assert not (-ROBOT.body.rear < x < ROBOT.body.front and abs(y) < ROBOT.body.width / 2)


def test_a_robot_that_has_stopped_may_turn_away() -> None:
    """Points inside a shape stop every motion; turning, nothing that a sonar can detect is inside."""
    approach = of("collision_monitor")["Approach"]
    turning = json.loads(approach["turning"]["points"])
    for pose in ROBOT.sonar.poses:
        x, y = (
            place + ROBOT.sonar.min_range * axis(pose.heading)
            for place, axis in ((pose.x, math.cos), (pose.y, math.sin))
        )
        assert distance_inside((x, y), turning) <= 0.0
    body = ROBOT.body
    for x in (body.front, -body.rear):
        assert distance_inside((x, body.width / 2), turning) > 0.0
    assert approach["velocity_polygons"][-1] == "turning", "the first whose range fits is taken"


def test_every_velocity_has_a_shape() -> None:
    approach, smoother = of("collision_monitor")["Approach"], of("velocity_smoother")
    shapes = [approach[name] for name in approach["velocity_polygons"]]
    (fastest, _, turning), (backwards, _, _) = smoother["max_velocity"], smoother["min_velocity"]
    for linear, angular, name in (
        (fastest, turning, "forward"),
        (backwards, -turning, "backward"),
        (0.0, turning, "turning"),
    ):
        fits = (
            shape["linear_min"] <= linear <= shape["linear_max"] and shape["theta_min"] <= angular <= shape["theta_max"]
            for shape in shapes
        )
        assert approach["velocity_polygons"][[*fits].index(True)] == name


# --- maps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", maps.walled_worlds())
def test_maps_are_those_of_the_worlds(world: str) -> None:
    for name, content in maps.files(world).items():
        assert (PACKAGE / "maps" / name).read_bytes() == content, "./run python -m tools.maps writes them anew"


@pytest.mark.parametrize("world", maps.walled_worlds())
def test_walls_are_where_the_map_for_nav2_has_them(world: str) -> None:
    content = yaml.safe_load((PACKAGE / "maps" / f"{world}.yaml").read_text(encoding="utf-8"))
    magic, size, depth, cells = (PACKAGE / "maps" / content["image"]).read_bytes().split(b"\n", 3)
    assert (magic, depth) == (b"P5", b"255")
    columns, rows = map(int, size.split())
    assert len(cells) == columns * rows

    def cell(x: float, y: float) -> int:
        left, bottom, _ = content["origin"]
        column, row = (int(offset / content["resolution"] + 1e-6) for offset in (x - left, y - bottom))
        return cells[(rows - 1 - row) * columns + column]

    start = load_world(world).start
    assert cell(start.x, start.y) == maps.FREE
    for angle in range(0, 360, 5):
        # Where a ray from the start ends, a wall is in the map, to a cell; on the way there it is free.
        heading = math.radians(angle)
        reach = load_world(world).cast(start.x, start.y, heading)
        x, y = start.x + reach * math.cos(heading), start.y + reach * math.sin(heading)
        around = {cell(x + dx * maps.RESOLUTION, y + dy * maps.RESOLUTION) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        assert maps.OCCUPIED in around
        assert cell((start.x + x) / 2, (start.y + y) / 2) == maps.FREE


# --- launch files ----------------------------------------------------------------------------------------------


NAVIGATION = PACKAGE / "launch" / "navigation.launch.py"


@pytest.fixture(autouse=True)
def lyrical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DISTRO", "lyrical")


def navigation(**arguments: str) -> Started:
    return started(NAVIGATION, **arguments)


def test_the_simulated_robot_knows_where_it_stands() -> None:
    launched = navigation(sim="true")
    driver = launched.the("amigobot_node")
    assert driver.parameters["port"] == "sim://?robot=amigo&world=office"
    assert driver.parameters["publish_scan"] is driver.parameters["enable_stamped_cmd_vel"] is True
    assert Path(driver.files[0]).name == "amigobot.yaml", "an included file is heir to Nav2's params_file"
    start = load_world("office").start
    amcl = launched.the("amcl").parameters
    assert (amcl["initial_pose.x"], amcl["initial_pose.y"]) == (start.x, start.y)
    assert amcl["set_initial_pose"]
    assert launched.the("map_server").parameters["yaml_filename"] == str(PACKAGE / "maps" / "office.yaml")
    managed = [name for node in launched.of("lifecycle_manager") for name in node.parameters["node_names"]]
    unmanaged = {"lifecycle_manager", "amigobot_node", "robot_state_publisher"}
    assert sorted(managed) == sorted(node.name for node in launched if node.executable not in unmanaged)


def test_a_simulated_robot_starts_where_told_in_its_world() -> None:
    world = str(PACKAGE / "maps" / "office.yaml")
    launched = navigation(sim="true", world=world, start="1,2,90")
    assert launched.the("amigobot_node").parameters["port"] == f"sim://?robot=amigo&world={world}&start=1,2,90"
    assert launched.the("map_server").parameters["yaml_filename"] == world
    amcl = launched.the("amcl").parameters
    assert [amcl[f"initial_pose.{name}"] for name in ("x", "y", "yaw")] == pytest.approx([1.0, 2.0, math.pi / 2])


def test_a_real_robot_starts_where_told_or_waits() -> None:
    amcl = navigation(port="/dev/ttyUSB0", start="1.5,-2,180").the("amcl").parameters
    assert (amcl["initial_pose.x"], amcl["initial_pose.y"], amcl["set_initial_pose"]) == (1.5, -2.0, True)
    assert amcl["initial_pose.yaw"] == pytest.approx(math.pi)
    assert not navigation(port="/dev/ttyUSB0").the("amcl").parameters.get("set_initial_pose")
    tie = navigation(localization="odometry", start="1.5,-2,180").the("start_in_map").words
    assert dict(zip(tie[::2], tie[1::2], strict=True)).items() >= {"--x": "1.5", "--y": "-2.0"}.items()


def test_velocities_pass_the_smoother_and_the_monitor() -> None:
    remapped = {node.name for node in navigation() if ("cmd_vel", "cmd_vel_nav") in node.remappings}
    assert remapped == {"controller_server", "behavior_server", "velocity_smoother"}
    assert (of("collision_monitor")["cmd_vel_in_topic"], of("collision_monitor")["cmd_vel_out_topic"]) == (
        "cmd_vel_smoothed",
        "cmd_vel",
    )


def test_a_driver_starts_only_with_a_port() -> None:
    assert not navigation().of("amigobot_node")
    driver = navigation(port="/dev/ttyUSB0", robot="amigo-sh").the("amigobot_node").parameters
    assert (driver["port"], driver["robot"]) == ("/dev/ttyUSB0", "amigo-sh")


@pytest.mark.parametrize(("distro", "files"), [("jazzy", 2), ("kilted", 2), ("lyrical", 1)])
def test_older_distributions_get_their_names(monkeypatch: pytest.MonkeyPatch, distro: str, files: int) -> None:
    monkeypatch.setenv("ROS_DISTRO", distro)
    given = navigation().the("controller_server").files
    assert len(given) == files
    assert Path(given[-1]).name == "nav2.yaml", "it, or the user's file in its place, overrides them"


def test_a_namespace_and_a_prefix_reach_the_parameters() -> None:
    nodes = navigation(namespace="a/b", frame_prefix="b/")
    content = yaml.safe_load(Path(nodes.the("amcl").files[0]).read_text(encoding="utf-8"))["a"]["b"]
    local = content["local_costmap"]["local_costmap"]["ros__parameters"]
    assert (local["global_frame"], local["robot_base_frame"]) == ("b/odom", "b/base_link")
    assert local["range_layer"]["topics"][0] == "/a/b/sonar/range_0"
    assert nodes.the("amcl").parameters["global_frame_id"] == "map"
    assert nodes.the("bt_navigator").parameters["odom_topic"] == "odom"
    assert re.fullmatch(r"sonar/range_\d", nodes.the("collision_monitor").parameters["sonar_3"]["topic"])


def test_only_absolute_topics_get_the_namespace(tmp_path: Path) -> None:
    """Nav2 resolves the others in the namespace of the node."""
    file = tmp_path / "nav2.yaml"
    file.write_text(
        "costmap: {ros__parameters: {range: {topics: [/sonar/range_0, sonar/range_1]}}}\n", encoding="utf-8"
    )
    fitted = Path(fitted_file(file, "alpha", {}))
    assert parameters_in(fitted, "alpha/costmap")["range"]["topics"] == ["/alpha/sonar/range_0", "sonar/range_1"]
    fitted.unlink()


@pytest.mark.parametrize("arguments", [{"sim": "true"}, {"port": "/dev/ttyUSB0"}, {}])
def test_nav2_plans_for_the_robot_that_is_named(arguments: dict[str, str]) -> None:
    monitor = navigation(robot="p3at", **arguments).the("collision_monitor").parameters
    assert len(monitor["observation_sources"]) == len(load_profile("p3at").sonar.poses) == 16
    front = max(x for x, _ in json.loads(monitor["Approach"]["turning"]["points"]))
    assert front > load_profile("p3at").body.front


@pytest.mark.parametrize("sim", ["true", "false"])
@pytest.mark.parametrize("parameter", ["robot", "param_file"])
def test_nav2_plans_for_the_robot_of_the_driver(tmp_path: Path, parameter: str, sim: str) -> None:
    robot = tmp_path / "Rob.yaml"
    robot.write_text("extends: p3dx\n", encoding="utf-8")
    file = tmp_path / "driver.yaml"
    file.write_text(f"/**:\n  ros__parameters:\n    {parameter}: {robot}\n", encoding="utf-8")
    launched = navigation(driver_params_file=str(file), sim=sim)
    for driver in launched.of("amigobot_node"):
        simulator, _ = simulator_of(driver.parameters["port"])
        assert simulator.profile.name == load_profile(str(robot)).name
    assert len(launched.the("collision_monitor").parameters["observation_sources"]) == 16


def test_an_unnamed_real_robot_is_taken_for_an_amigobot() -> None:
    launched = navigation(port="/dev/ttyUSB0")
    assert launched.the("collision_monitor").parameters.items() >= of("collision_monitor").items()
    (note, *_) = launched.notes
    assert "plans for an AmigoBot" in note and "robot:=" in note
    assert not navigation(sim="true").notes
    assert not navigation(port="/dev/ttyUSB0", robot="amigo-sh").notes


def test_a_users_params_file_is_unchanged_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text((PACKAGE / "config" / "nav2.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    launched = navigation(port="/dev/ttyUSB0", robot="p3at", params_file=str(file))
    assert launched.the("amcl").files == (str(file),)
    (note,) = launched.notes
    assert f"{file}: its footprint of 0.330 x 0.280 m does not cover a p3at" in note
    assert "nav2_params p3at`" in note
