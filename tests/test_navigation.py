# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The navigation package: parameters that fit robot and driver, maps that fit the worlds, launch files that fit all."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import yaml
from launch_files import ALLOWED, declared, imported, mocked_launch, started, topics
from tools import maps

from amigobot_driver.profiles import ProfileError, load_profile
from amigobot_driver.ros.launch_support import parameters_in
from amigobot_driver.sim import WorldError, load_world
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
def test_the_footprint_is_the_body_of_the_profile(costmap: dict[str, Any]) -> None:
    body = ROBOT.body
    corners = {(x, y) for x in (body.front, -body.rear) for y in (body.width / 2, -body.width / 2)}
    assert {tuple(corner) for corner in json.loads(costmap["footprint"])} == corners


@pytest.mark.parametrize("costmap", COSTMAPS)
def test_costmaps_take_every_sonar_and_its_silence(costmap: dict[str, Any]) -> None:
    layer = costmap["range_layer"]
    assert layer["topics"] == [f"/sonar/range_{number}" for number in range(len(ROBOT.sonar.poses))]
    assert layer["clear_on_max_reading"]
    # Nav2's layer does not recover from it by itself, and Nav2 is there before the robot is.
    assert layer.get("no_readings_timeout", 0.0) == 0.0
    assert costmap["inflation_layer"]["inflation_radius"] >= ROBOT.body.radius


def test_the_controller_reads_costs_as_the_costmap_writes_them() -> None:
    written = COSTMAPS[0]["inflation_layer"]["cost_scaling_factor"]
    assert of("controller_server")["FollowPath"]["inflation_cost_scaling_factor"] == written


def test_the_monitor_hears_every_sonar_and_looks_less_far_than_silence() -> None:
    monitor = of("collision_monitor")
    sources = [monitor[name] for name in monitor["observation_sources"]]
    expected = [f"sonar/range_{number}" for number in range(len(ROBOT.sonar.poses))]
    assert [source["topic"] for source in sources] == expected
    assert {source["type"] for source in sources} == {"range"}
    assert monitor["source_timeout"] > 2 * len(sources) * ROBOT.sonar.cycle
    # The correction waits for the transform of now, which comes with the next SIP: velocities grow too old to be taken.
    assert monitor["base_shift_correction"] is False
    for x, y in json.loads(monitor["Slow"]["points"]):
        assert math.hypot(x, y) < ROBOT.sonar.max_range / 2
        assert not (-ROBOT.body.rear < x < ROBOT.body.front and abs(y) < ROBOT.body.width / 2)


def inside(x: float, y: float, polygon: list[tuple[float, float]]) -> bool:
    """A ray to the right crosses the edges of a polygon an odd number of times, if it starts inside."""
    edges = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return (
        sum((y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0) for (x0, y0), (x1, y1) in edges) % 2 == 1
    )


@pytest.mark.parametrize(("shape", "direction"), [("forward", 1), ("backward", -1)])
def test_the_robot_stops_before_its_sonars_go_deaf(shape: str, direction: int) -> None:
    """An echo from nearer than their minimum reads as free: it must have stopped the robot 5 cm before."""
    polygon = json.loads(of("collision_monitor")["Approach"][shape]["points"])
    looking = [pose for pose in ROBOT.sonar.poses if direction * math.cos(pose.heading) > 0.5]
    assert len(looking) >= 2
    for pose in looking:
        for reach in (0.0, ROBOT.sonar.min_range, ROBOT.sonar.min_range + 0.05):
            x, y = pose.x + reach * math.cos(pose.heading), pose.y + reach * math.sin(pose.heading)
            assert inside(x, y, polygon), f"{reach} m before the sonar at {pose}"


def test_a_robot_that_has_stopped_may_turn_away() -> None:
    """Points inside a shape stop every motion; turning, nothing that a sonar can detect is inside."""
    approach = of("collision_monitor")["Approach"]
    turning = json.loads(approach["turning"]["points"])
    for pose in ROBOT.sonar.poses:
        x, y = (
            place + ROBOT.sonar.min_range * way(pose.heading) for place, way in ((pose.x, math.cos), (pose.y, math.sin))
        )
        assert not inside(x, y, turning)
    body = ROBOT.body
    for x in (body.front, -body.rear):
        assert inside(x, body.width / 2, turning)
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


def test_nav2_waits_for_a_robot_that_is_switched_on_later() -> None:
    """Its lifecycle manager gives up for good when a costmap has waited for the robot's transform for too long."""
    assert all(costmap["initial_transform_timeout"] >= 600.0 for costmap in COSTMAPS)


def test_the_navigator_waits_longer_than_a_cycle_of_whom_it_asks() -> None:
    """Else a goal fails at once, without any recovery; its times are in ms."""
    cycle = 1000 / of("controller_server")["controller_frequency"]
    navigator = of("bt_navigator")
    assert navigator["default_server_timeout"] > 2 * cycle
    assert navigator["default_cancel_timeout"] > 2 * cycle


def test_no_velocity_is_beyond_the_robot() -> None:
    controller, smoother = of("controller_server")["FollowPath"], of("velocity_smoother")
    fastest, _, turning = smoother["max_velocity"]
    assert controller["max_linear_vel"] <= fastest <= ROBOT.limits.linear
    assert controller["rotate_to_heading_angular_vel"] <= turning <= ROBOT.limits.angular
    assert of("behavior_server")["max_rotational_vel"] <= turning


def test_every_sender_of_velocities_stamps_them() -> None:
    senders = ("controller_server", "behavior_server", "velocity_smoother", "collision_monitor", "docking_server")
    assert all(of(node)["enable_stamped_cmd_vel"] is True for node in senders)


def test_names_for_older_distributions_mean_the_same() -> None:
    older = yaml.safe_load((PACKAGE / "config" / "nav2_before_lyrical.yaml").read_text(encoding="utf-8"))
    assert set(older) <= set(NAV2)
    follower = older["controller_server"]["ros__parameters"]["FollowPath"]
    assert follower["desired_linear_vel"] == of("controller_server")["FollowPath"]["max_linear_vel"]


def test_rviz_shows_what_nav2_and_the_driver_publish() -> None:
    view = yaml.safe_load((PACKAGE / "rviz" / "navigation.rviz").read_text(encoding="utf-8"))
    nav2 = {"map", "plan", "amcl_pose", "initialpose", "goal_pose", "local_costmap/published_footprint"}
    nav2 |= {of("collision_monitor")["Slow"]["polygon_pub_topic"]}
    nav2 |= {f"{where}_costmap/costmap" for where in ("local", "global")}
    driver = {"sonar/cloud", "robot_description"}
    assert {topic.removesuffix("_updates") for topic in topics(view)} == nav2 | driver


# --- robot_localization ----------------------------------------------------------------------------------------

EKF_FILE = yaml.safe_load((PACKAGE / "config" / "ekf.yaml").read_text(encoding="utf-8"))
EKF = EKF_FILE["ekf_filter_node"]["ros__parameters"]
VX, VYAW, YAW = 6, 11, 5


def test_the_filter_takes_velocities_of_the_wheels_and_the_turn_rate_of_the_gyro() -> None:
    assert [number for number, used in enumerate(EKF["odom0_config"]) if used] == [VX, VX + 1, VYAW]
    assert [number for number, used in enumerate(EKF["imu0_config"]) if used] == [VYAW]
    assert EKF["imu0_queue_size"] >= 8, "samples come four at once"


def test_the_filter_s_process_noise_is_that_of_the_robot() -> None:
    matrix = EKF["process_noise_covariance"]
    assert len(matrix) == 15 * 15
    shared = {15 * YAW + VYAW, 15 * VYAW + YAW}
    assert all((value > 0.0) == (place % 16 == 0 or place in shared) for place, value in enumerate(matrix))
    # A random acceleration between two samples of the gyro: without this term the yaw is half a step late.
    assert [matrix[place] for place in shared] == pytest.approx([matrix[16 * VYAW] * 0.025 / 2] * 2)
    assert matrix[15 * YAW + VYAW] ** 2 < matrix[16 * YAW] * matrix[16 * VYAW], "not a covariance"
    # A robot that has driven for 40 s is not lost: the default made it 1.7 rad (standard deviation).
    assert matrix[16 * YAW] * 40.0 < 0.1**2
    # From one sample of the gyro to the next, the rate may change as fast as the robot turns faster.
    assert math.sqrt(matrix[16 * VYAW] * 0.025) > 0.87 * 0.025


# --- maps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", maps.walled_worlds())
def test_maps_are_those_of_the_worlds(world: str) -> None:
    for name, content in maps.files(world).items():
        assert (PACKAGE / "maps" / name).read_bytes() == content, "./run python -m tools.maps writes them anew"


@pytest.mark.parametrize("world", maps.walled_worlds())
def test_the_map_for_aria_is_the_same_world(world: str) -> None:
    original, copy = load_world(world), load_world(str(PACKAGE / "maps" / f"{world}.map"))
    assert len(copy.segments) == len(original.segments)
    for wall, other in zip(original.segments, copy.segments, strict=True):
        assert tuple(other) == pytest.approx(tuple(wall), abs=0.001)
    assert (copy.start.x, copy.start.y, copy.start.heading) == pytest.approx(
        (original.start.x, original.start.y, original.start.heading), abs=0.001
    )


@pytest.mark.parametrize("world", maps.walled_worlds())
def test_walls_are_where_the_map_for_nav2_has_them(world: str) -> None:
    content = yaml.safe_load((PACKAGE / "maps" / f"{world}.yaml").read_text(encoding="utf-8"))
    magic, size, depth, cells = (PACKAGE / "maps" / content["image"]).read_bytes().split(b"\n", 3)
    assert (magic, depth) == (b"P5", b"255")
    columns, rows = map(int, size.split())
    assert len(cells) == columns * rows

    def cell(x: float, y: float) -> int:
        left, bottom, _ = content["origin"]
        column, row = (int(way / content["resolution"] + 1e-6) for way in (x - left, y - bottom))
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


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("ROS_DISTRO", "lyrical")
    with mocked_launch(PACKAGE / "launch") as loader:
        yield loader


@pytest.mark.parametrize("name", ["navigation", "ekf"])
def test_arguments_are_described_and_imports_allowed(name: str, load: Any) -> None:
    path = PACKAGE / "launch" / f"{name}.launch.py"
    assert {module.split(".")[0] for module in imported(path)} <= ALLOWED | {"amigobot_navigation"}
    assert all(len(argument["description"]) > 10 for argument in declared(load(name)).values())


@pytest.mark.parametrize("name", ["navigation", "ekf"])
def test_launch_reads_the_file(name: str) -> None:
    pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed: mocks stand for them")
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    source = PythonLaunchDescriptionSource(str(PACKAGE / "launch" / f"{name}.launch.py"))
    found = source.get_launch_description(LaunchContext())
    assert all(argument.description for argument in found.get_launch_arguments())


def driver_arguments(module: Any) -> list[dict[str, str]]:
    return [dict(call.kwargs["launch_arguments"]) for call in module.IncludeLaunchDescription.call_args_list]


def test_the_simulated_robot_knows_where_it_stands(load: Any) -> None:
    module = load("navigation")
    nodes = {node["name"]: node for node in started(module, sim="true")}
    (driver,) = driver_arguments(module)
    assert driver["port"] == "sim://?robot=amigo&world=office"
    assert driver["publish_scan"] == driver["enable_stamped_cmd_vel"] == "true"
    assert Path(driver["params_file"]).name == "amigobot.yaml", "an included file is heir to Nav2's params_file"
    start = load_world("office").start
    amcl = nodes["amcl"]["parameters"][-1]
    assert (amcl["initial_pose.x"], amcl["initial_pose.y"]) == (start.x, start.y)
    assert amcl["set_initial_pose"]
    assert nodes["map_server"]["parameters"][-1]["yaml_filename"] == str(PACKAGE / "maps" / "office.yaml")
    managers = {name: node for name, node in nodes.items() if node["executable"] == "lifecycle_manager"}
    managed = [name for node in managers.values() for name in node["parameters"][-1]["node_names"]]
    assert sorted(managed) == sorted(set(nodes) - set(managers))


def test_the_simulated_robot_is_that_of_a_file_in_a_folder_with_any_name(load: Any, tmp_path: Path) -> None:
    folder = tmp_path / "a+b & 100 %#=c"
    folder.mkdir()
    robot = folder / "mine.yaml"
    robot.write_text("extends: amigo\ndescription: mine\n")
    module = load("navigation")
    started(module, sim="true", robot=str(robot), start="1,2,90")
    simulator, _ = simulator_of(driver_arguments(module)[0]["port"])
    assert simulator.profile == load_profile(str(robot))


def test_a_simulated_robot_starts_where_it_is_told_in_a_map_that_is_its_world(load: Any) -> None:
    module, world = load("navigation"), str(PACKAGE / "maps" / "office.yaml")
    nodes = {node["name"]: node for node in started(module, sim="true", world=world, start="1,2,90")}
    (driver,) = driver_arguments(module)
    assert driver["port"] == f"sim://?robot=amigo&world={world}&start=1,2,90"
    assert nodes["map_server"]["parameters"][-1]["yaml_filename"] == world
    amcl = nodes["amcl"]["parameters"][-1]
    assert [amcl[f"initial_pose.{name}"] for name in ("x", "y", "yaw")] == pytest.approx([1.0, 2.0, math.pi / 2])


def test_a_real_robot_starts_where_it_is_told_and_amcl_waits_if_it_is_not(load: Any) -> None:
    def started_node(name: str, **arguments: str) -> dict[str, Any]:
        nodes = started(load("navigation"), port="/dev/ttyUSB0", **arguments)
        return next(node for node in nodes if node["name"] == name)

    amcl = started_node("amcl", start="1.5,-2,180")["parameters"][-1]
    assert (amcl["initial_pose.x"], amcl["initial_pose.y"], amcl["set_initial_pose"]) == (1.5, -2.0, True)
    assert amcl["initial_pose.yaw"] == pytest.approx(math.pi)
    assert "set_initial_pose" not in started_node("amcl")["parameters"][-1]
    tie = started_node("start_in_map", localization="odometry", start="1.5,-2,180")["arguments"]
    assert dict(zip(tie[::2], tie[1::2], strict=True)).items() >= {"--x": "1.5", "--y": "-2.0"}.items()


def test_a_start_that_is_no_pose_is_refused(load: Any) -> None:
    with pytest.raises(WorldError, match="expected X,Y,DEGREES"):
        started(load("navigation"), start="1,2")


def test_velocities_pass_the_smoother_and_the_monitor(load: Any) -> None:
    nodes = {node["name"]: node for node in started(load("navigation"))}
    remapped = {name for name, node in nodes.items() if ("cmd_vel", "cmd_vel_nav") in (node.get("remappings") or [])}
    assert remapped == {"controller_server", "behavior_server", "velocity_smoother"}
    assert (of("collision_monitor")["cmd_vel_in_topic"], of("collision_monitor")["cmd_vel_out_topic"]) == (
        "cmd_vel_smoothed",
        "cmd_vel",
    )


def test_the_driver_starts_behind_what_may_not_be_installed(load: Any) -> None:
    """launch ends if a package is missing, and does not end what it has just started."""
    module = load("navigation")
    values = {name: argument["default_value"] for name, argument in declared(module).items()}
    module.Node.side_effect = lambda **options: options["executable"]
    module.IncludeLaunchDescription.side_effect = lambda *_, **__: "driver"
    actions = module.start(MagicMock(launch_configurations=values | {"sim": "true"}))
    assert actions[-1] == "driver"
    assert "controller_server" in actions


def test_a_real_robot_has_its_driver_started_only_when_a_port_is_given(load: Any) -> None:
    module = load("navigation")
    started(module)
    assert driver_arguments(module) == []
    started(module, port="/dev/ttyUSB0", robot="amigo-sh")
    (driver,) = driver_arguments(module)
    assert (driver["port"], driver["robot"]) == ("/dev/ttyUSB0", "amigo-sh")


@pytest.mark.parametrize(
    ("way", "names"), [("amcl", {"amcl", "map_server"}), ("odometry", {"map_server", "start_in_map"}), ("slam", set())]
)
def test_ways_to_know_where_it_is(load: Any, way: str, names: set[str]) -> None:
    module = load("navigation")
    nodes = {node["name"] for node in started(module, localization=way)}
    assert nodes & {"amcl", "map_server", "start_in_map"} == names
    assert module.IncludeLaunchDescription.called == (way == "slam")


@pytest.mark.parametrize(("distro", "files"), [("jazzy", 2), ("kilted", 2), ("lyrical", 1)])
def test_older_distributions_get_their_names(
    load: Any, monkeypatch: pytest.MonkeyPatch, distro: str, files: int
) -> None:
    monkeypatch.setenv("ROS_DISTRO", distro)
    controller = next(node for node in started(load("navigation")) if node["name"] == "controller_server")
    assert len(controller["parameters"]) == files + 1
    assert Path(controller["parameters"][-2]).name == "nav2.yaml", "it, or the user's file in its place, overrides them"


def test_a_namespace_and_a_prefix_reach_the_parameters(load: Any) -> None:
    nodes = started(load("navigation"), namespace="a/b", frame_prefix="b/")
    file = next(Path(node["parameters"][0]) for node in nodes if node["name"] == "amcl")
    content = yaml.safe_load(file.read_text(encoding="utf-8"))["a"]["b"]
    file.unlink()
    local = content["local_costmap"]["local_costmap"]["ros__parameters"]
    assert (local["global_frame"], local["robot_base_frame"]) == ("b/odom", "b/base_link")
    assert local["range_layer"]["topics"][0] == "/a/b/sonar/range_0"
    assert content["amcl"]["ros__parameters"]["global_frame_id"] == "map"
    assert content["bt_navigator"]["ros__parameters"]["odom_topic"] == "odom"
    assert re.fullmatch(r"sonar/range_\d", content["collision_monitor"]["ros__parameters"]["sonar_3"]["topic"])


@pytest.mark.parametrize("key", ["planner_server", "/planner_server", "/alpha/planner_server", "alpha/planner_server"])
def test_a_file_of_the_user_may_name_nodes_with_the_namespace(tmp_path: Path, key: str) -> None:
    file = tmp_path / "nav2.yaml"
    file.write_text(f"amcl: {{ros__parameters: {{a: 1}}}}\n{key}: {{ros__parameters: {{b: 2}}}}\n", encoding="utf-8")
    fitted = Path(fitted_file(file, "/alpha", {}))
    assert parameters_in(fitted, "alpha/amcl") == {"a": 1}
    assert parameters_in(fitted, "alpha/planner_server") == {"b": 2}
    fitted.unlink()


def test_a_section_of_the_namespace_stays(tmp_path: Path) -> None:
    file = tmp_path / "nav2.yaml"
    file.write_text("alpha: {amcl: {ros__parameters: {a: 1}}}\namcl: {ros__parameters: {b: 2}}\n", encoding="utf-8")
    fitted = Path(fitted_file(file, "alpha", {}))
    assert parameters_in(fitted, "alpha/amcl") == {"a": 1, "b": 2}
    fitted.unlink()


def test_only_absolute_topics_get_the_namespace(tmp_path: Path) -> None:
    """Nav2 resolves the others in the namespace of the node."""
    file = tmp_path / "nav2.yaml"
    file.write_text(
        "costmap: {ros__parameters: {range: {topics: [/sonar/range_0, sonar/range_1]}}}\n", encoding="utf-8"
    )
    fitted = Path(fitted_file(file, "alpha", {}))
    assert parameters_in(fitted, "alpha/costmap")["range"]["topics"] == ["/alpha/sonar/range_0", "sonar/range_1"]
    fitted.unlink()


def nav2_parameters(nodes: list[dict[str, Any]], node: str) -> dict[str, Any]:
    """What a node that was started gets from its first parameter file."""
    file = next(Path(started_node["parameters"][0]) for started_node in nodes if started_node["name"] == node)
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {name: section["ros__parameters"] for name, section in content.items() if "ros__parameters" in section}


@pytest.mark.parametrize("arguments", [{"sim": "true"}, {"port": "/dev/ttyUSB0"}, {}])
def test_nav2_plans_for_the_robot_that_is_named(load: Any, arguments: dict[str, str]) -> None:
    nodes = started(load("navigation"), robot="p3at", **arguments)
    monitor = nav2_parameters(nodes, "collision_monitor")["collision_monitor"]
    assert len(monitor["observation_sources"]) == len(load_profile("p3at").sonar.poses) == 16
    front = max(x for x, _ in json.loads(monitor["Approach"]["turning"]["points"]))
    assert front > load_profile("p3at").body.front


@pytest.mark.parametrize("sim", ["true", "false"])
@pytest.mark.parametrize("parameter", ["robot", "param_file"])
def test_nav2_plans_for_the_robot_that_the_driver_s_parameters_name(
    load: Any, tmp_path: Path, parameter: str, sim: str
) -> None:
    robot = tmp_path / "Rob.yaml"
    robot.write_text("extends: p3dx\n", encoding="utf-8")
    file = tmp_path / "driver.yaml"
    file.write_text(f"/**:\n  ros__parameters:\n    {parameter}: {robot}\n", encoding="utf-8")
    module = load("navigation")
    nodes = started(module, driver_params_file=str(file), sim=sim)
    for driver in driver_arguments(module):
        simulator, _ = simulator_of(driver["port"])
        assert simulator.profile.name == load_profile(str(robot)).name
    monitor = nav2_parameters(nodes, "collision_monitor")["collision_monitor"]
    assert len(monitor["observation_sources"]) == 16


def test_the_filter_and_a_model_of_ones_own_go_together_and_with_nav2(load: Any) -> None:
    module = load("ekf")
    given = {"description": "false", "publish_scan": "true", "enable_stamped_cmd_vel": "true"}
    started(module, **given)
    (driver,) = driver_arguments(module)
    assert given.items() <= driver.items()
    assert driver["publish_tf"] == "false"


def notes(module: Any) -> str:
    return "\n".join(str(call.kwargs["msg"]) for call in module.LogInfo.call_args_list)


def test_a_real_robot_that_nothing_names_is_taken_for_an_amigobot_and_launch_says_so(load: Any) -> None:
    module = load("navigation")
    nodes = started(module, port="/dev/ttyUSB0")
    assert nav2_parameters(nodes, "collision_monitor")["collision_monitor"] == of("collision_monitor")
    assert "plans for an AmigoBot" in notes(module)
    assert "robot:=" in notes(module)
    module.LogInfo.reset_mock()
    started(module, sim="true")
    started(module, port="/dev/ttyUSB0", robot="amigo-sh")
    assert notes(module) == ""


def test_a_params_file_of_the_user_is_taken_as_it_is_and_launch_says_that_it_does_not_fit(
    load: Any, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text((PACKAGE / "config" / "nav2.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    module = load("navigation")
    nodes = started(module, port="/dev/ttyUSB0", robot="p3at", params_file=str(file))
    amcl = next(node for node in nodes if node["name"] == "amcl")
    assert amcl["parameters"][0] == str(file)
    assert f"{file}: its footprint of 0.330 x 0.280 m does not cover a p3at" in notes(module)
    assert "nav2_params p3at`" in notes(module)


def test_a_robot_without_sonars_needs_a_params_file_of_its_own(
    load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    with pytest.raises(ProfileError, match="generic has no sonars"):
        started(load("navigation"), robot="generic")
    file = tmp_path / "laser.yaml"
    file.write_text("amcl:\n  ros__parameters:\n    scan_topic: scan\n", encoding="utf-8")
    assert started(load("navigation"), robot="generic", params_file=str(file))
