"""The launch files: what they start, from which arguments. `launch` itself is not needed for that: its classes are
replaced by mocks that remember what they were made from. Where `launch` is installed, it reads the files too."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock, patch

import pytest
import yaml

pytest.importorskip("rclpy", reason="rclpy is not installed: the arguments come from the node's parameters")

from amigobot_driver.profiles import load_profile
from amigobot_driver.profiles.description import robot_description
from amigobot_driver.resources import share
from amigobot_driver.ros.parameters import TABLE

FOLDER = share("launch")
FILES = sorted(FOLDER.glob("*.launch.py"))
FOREIGN = ("launch", "launch_ros")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Loads a launch file by its name, with mocks for what comes from launch."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    mocks = {name: MagicMock(name=name) for path in FILES for name in imported(path) if is_foreign(name)}
    mocks |= {package: MagicMock(name=package) for package in FOREIGN}
    with patch.dict(sys.modules, mocks):
        yield lambda name: module_from(FOLDER / f"{name}.launch.py")


def module_from(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.name.replace(".", "_"), path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "exactly"):
        module.exactly = lambda value: value  # type: ignore[attr-defined]
    return module


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def is_foreign(name: str) -> bool:
    return name.split(".")[0] in FOREIGN


def started(module: ModuleType, **arguments: str) -> list[dict[str, Any]]:
    """The nodes that a launch file starts with these arguments: what they were made from."""
    module.DeclareLaunchArgument.reset_mock()
    module.generate_launch_description()
    declared = module.DeclareLaunchArgument.call_args_list
    values = {call.args[0]: call.kwargs["default_value"] for call in declared}
    assert set(arguments) <= set(values)
    module.Node.reset_mock()
    module.start(MagicMock(launch_configurations=values | arguments))
    return [call.kwargs for call in module.Node.call_args_list]


def parameter_file(folder: Path, content: str) -> str:
    file = folder / "params.yaml"
    file.write_text(content, encoding="utf-8")
    return str(file)


# --- all of them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_but_launch_is_needed(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, *FOREIGN, "ament_index_python", "yaml", "amigobot_driver"}
    assert {name.split(".")[0] for name in imported(path)} <= allowed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_arguments_are_described(path: Path, load: Any) -> None:
    module = load(path.name.removesuffix(".launch.py"))
    module.generate_launch_description()
    calls = module.DeclareLaunchArgument.call_args_list
    assert calls
    for call in calls:
        assert len(call.kwargs["description"]) > 10, call
        assert call.kwargs["default_value"] is not None, call
    assert len({call.args[0] for call in calls}) == len(calls)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_launch_reads_the_file(path: Path) -> None:
    pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed: mocks stand for them")
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    found = PythonLaunchDescriptionSource(str(path)).get_launch_description(LaunchContext())
    assert all(argument.description for argument in found.get_launch_arguments())


# --- amigobot.launch.py ----------------------------------------------------------------------------------------


def test_arguments_left_alone_do_not_touch_the_parameter_file(load: Any) -> None:
    driver, publisher = started(load("amigobot"))
    assert driver["executable"] == "amigobot_node"
    assert driver["parameters"] == [str(share("config", "amigobot.yaml")), {}]
    assert publisher["parameters"] == [
        {"robot_description": robot_description(load_profile("amigo")), "frame_prefix": "", "use_sim_time": False}
    ]


def test_given_arguments_reach_the_node_in_their_types(load: Any) -> None:
    given = {"port": "/dev/ttyUSB0", "baud": "38400", "publish_tf": "False", "robot": "amigo-sh", "base_frame": "123"}
    driver, publisher = started(load("amigobot"), namespace="alpha", **given)
    assert driver["parameters"][1] == {
        "port": "/dev/ttyUSB0",
        "baud": 38400,
        "publish_tf": False,
        "robot": "amigo-sh",
        "base_frame": "123",
    }
    assert driver["namespace"] == publisher["namespace"] == "alpha"
    assert publisher["parameters"][0]["robot_description"] == robot_description(load_profile("amigo-sh"), "123")


def test_the_description_follows_the_parameter_file(load: Any, tmp_path: Path) -> None:
    file = parameter_file(
        tmp_path,
        "/**: {ros__parameters: {base_frame: chassis, robot: amigo-sh, frame_prefix: a/, use_sim_time: true}}",
    )
    driver, publisher = started(load("amigobot"), params_file=file, frame_prefix="b/")
    assert driver["parameters"] == [file, {"frame_prefix": "b/"}]
    assert publisher["parameters"] == [
        {
            "robot_description": robot_description(load_profile("amigo-sh"), "chassis"),
            "frame_prefix": "b/",
            "use_sim_time": True,
        }
    ]


@pytest.mark.parametrize(
    ("port", "robot"),
    [("sim://", "amigo"), ("sim://amigo-sh", "amigo-sh"), ("sim://amigo-sh?seed=1", "amigo-sh"), ("/dev/x", "amigo")],
)
def test_the_model_is_that_of_the_simulated_robot(load: Any, port: str, robot: str) -> None:
    _, publisher = started(load("amigobot"), port=port)
    assert publisher["parameters"][0]["robot_description"] == robot_description(load_profile(robot))


def test_an_aria_file_changes_the_model(load: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.p"
    file.write_text("Class Pioneer\nSubclass amigo\nSonarNum 1\nSonarUnit 0 75 105 90\n", encoding="utf-8")
    driver, publisher = started(load("amigobot"), param_file=str(file))
    assert driver["parameters"][1] == {"param_file": str(file)}
    model = publisher["parameters"][0]["robot_description"]
    assert model == robot_description(load_profile(str(file)))
    assert 'xyz="0.075 0.105 0.1"' in model


@pytest.mark.parametrize(
    ("argument", "value"), [("publish_tf", "maybe"), ("baud", "fast"), ("params_file", "/nowhere"), ("robot", "r2d2")]
)
def test_a_bad_argument_is_named(load: Any, argument: str, value: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=f"{argument}.*{value}"):
        started(load("amigobot"), **{argument: value})


def test_rviz_where_there_is_a_screen(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("amigobot")
    module.get_package_prefix = lambda name: "/opt/ros"  # type: ignore[attr-defined]
    assert len(started(module)) == 2
    assert len(started(module, rviz="true")) == 3
    monkeypatch.setenv("DISPLAY", ":0")
    assert len(started(module)) == 3
    assert len(started(module, rviz="false")) == 2
    assert len(started(module, port="/dev/ttyUSB0")) == 2
    *_, rviz = started(module, namespace="alpha", frame_prefix="alpha/", odom_frame="o")
    assert rviz["namespace"] == "alpha"
    _, view, _, frame = rviz["arguments"]
    assert frame == "alpha/o"
    displays = yaml.safe_load(Path(view).read_text(encoding="utf-8"))["Visualization Manager"]["Displays"]
    assert [display["TF Prefix"] for display in displays if "TF Prefix" in display] == ["alpha"]
    Path(view).unlink()


@pytest.mark.parametrize(
    ("content", "node", "found"),
    [
        ("/**: {ros__parameters: {a: 1}}", "amigobot", {"a": 1}),
        ("/**: {ros__parameters: {a: 1}}", "x/y/amigobot", {"a": 1}),
        ("amigobot: {ros__parameters: {a: 1}}", "/amigobot", {"a": 1}),
        ("amigobot: {ros__parameters: {a: 1}}", "x/amigobot", {}),
        ("/x/amigobot: {ros__parameters: {a: 1}}", "x/amigobot", {"a": 1}),
        ("x: {amigobot: {ros__parameters: {a: 1}}}", "x/amigobot", {"a": 1}),
        ("/*/amigobot: {ros__parameters: {a: 1}}", "x/amigobot", {"a": 1}),
        ("/*/amigobot: {ros__parameters: {a: 1}}", "x/y/amigobot", {}),
        ("/**/amigobot: {ros__parameters: {a: 1}}", "amigobot", {"a": 1}),
        ("/**: {ros__parameters: {a: 1, b: 1}}\n/amigobot: {ros__parameters: {a: 2}}", "amigobot", {"a": 2, "b": 1}),
        ("other: {ros__parameters: {a: 1}}", "amigobot", {}),
        ("/**: {ros__parameters: }", "amigobot", {}),
        ("", "amigobot", {}),
    ],
)
def test_which_section_of_a_file_a_node_reads(
    load: Any, tmp_path: Path, content: str, node: str, found: dict[str, int]
) -> None:
    assert load("amigobot").parameters_in(Path(parameter_file(tmp_path, content)), node) == found


# --- the others ------------------------------------------------------------------------------------------------


def test_a_fleet_keeps_its_robots_apart(load: Any) -> None:
    module = load("fleet")
    places = started(module)
    robots = [dict(call.kwargs["launch_arguments"]) for call in module.IncludeLaunchDescription.call_args_list]
    names = [robot["namespace"] for robot in robots]
    assert len(names) == len(set(names)) > 1
    assert [robot["frame_prefix"] for robot in robots] == [f"{name}/" for name in names]
    assert [place["arguments"][-1] for place in places] == [f"{name}/odom" for name in names]
    known = {call.args[0] for call in arguments_of(load("amigobot"))}
    assert all(set(robot) <= known for robot in robots)


def arguments_of(module: ModuleType) -> list[Any]:
    module.DeclareLaunchArgument.reset_mock()
    module.generate_launch_description()
    return list(module.DeclareLaunchArgument.call_args_list)


@pytest.mark.parametrize("content", ["", "robots: [a]", "robots: {a: 1}"])
def test_a_fleet_file_without_robots_is_refused(load: Any, tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match="robots"):
        started(load("fleet"), fleet_file=parameter_file(tmp_path, content))


def test_a_recording_has_the_topics_of_one_robot(load: Any, tmp_path: Path) -> None:
    module = load("record")
    module.generate_launch_description()
    values = {"namespace": "alpha", "name": "", "output": str(tmp_path / "bags"), "extra": "/map"}
    module.start(MagicMock(launch_configurations=values))
    command = module.ExecuteProcess.call_args.kwargs["cmd"]
    assert command[:3] == ["ros2", "bag", "record"]
    assert re.fullmatch(r".*/bags/alpha_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", command[command.index("--output") + 1])
    pattern = command[command.index("--regex") + 1]
    for topic in ("/alpha/odom", "/alpha/sonar/range_7", "/alpha/aux1/rx", "/tf_static", "/diagnostics", "/map"):
        assert re.search(pattern, topic), topic
    for topic in ("/odom", "/beta/odom", "/alpha/odom/more", "/alpha/tf", "/rosout", "/alpha/map"):
        assert not re.search(pattern, topic), topic


# --- what they read --------------------------------------------------------------------------------------------


def test_the_parameter_file_has_the_defaults_of_the_code() -> None:
    content = yaml.safe_load(share("config", "amigobot.yaml").read_text(encoding="utf-8"))
    expected = {spec.name: spec.default for spec in TABLE if spec.name != "enable_stamped_cmd_vel"}
    assert content["/**"]["ros__parameters"] == expected, "./run python -m tools.parameter_file writes it anew"


def test_rviz_shows_topics_that_the_node_publishes() -> None:
    view = yaml.safe_load(share("rviz", "amigobot.rviz").read_text(encoding="utf-8"))
    telemetry = (
        Path(importlib.import_module("amigobot_driver").__file__ or "").parent / "ros" / "telemetry.py"
    ).read_text()
    published = set(re.findall(r'create_publisher\(\w+, f?"([\w/{}]+)"', telemetry)) | {"robot_description"}
    shown = {topic for topic in topics(view) if topic}
    assert shown
    assert {re.sub(r"\d+$", "{number}", topic) for topic in shown} <= published


def topics(content: Any) -> Iterator[str]:
    """The values of every `Topic` in an RViz file."""
    if isinstance(content, dict):
        for key, value in content.items():
            if key.endswith("Topic") and isinstance(value, dict):
                yield value["Value"]
            yield from topics(value)
    elif isinstance(content, list):
        for item in content:
            yield from topics(item)
