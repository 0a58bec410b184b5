# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The launch files of the driver: what they start, from which arguments. Where `launch` is installed, it reads them
too; where it is not, mocks stand for it."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import yaml
from launch_files import declared, mocked_launch, started, topics

pytest.importorskip("rclpy", reason="rclpy is not installed: the arguments come from the node's parameters")

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.profiles.description import robot_description
from amigobot_driver.profiles.layouts import foxglove_layout, rviz_layout
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_support import parameters_in
from amigobot_driver.ros.node_parameters import TABLE

FOLDER = share("launch")
FILES = sorted(FOLDER.glob("*.launch.py"))


@pytest.mark.parametrize("name", ["amigobot", "amigobot-record"])
def test_a_service_launches_a_file_with_arguments_that_it_has_and_stops_it_like_ctrl_c(load: Any, name: str) -> None:
    unit = configparser.RawConfigParser(strict=False)  # ExecStartPre may stand twice
    unit.read(share("systemd") / f"{name}.service", encoding="utf-8")
    command = unit["Service"]["ExecStart"]
    (launch_file, *arguments) = command[command.index("amigobot_driver ") :].rstrip("'").split()[1:]
    assert f"{FOLDER / launch_file}" in map(str, FILES)
    assert {argument.partition(":=")[0] for argument in arguments} <= set(declared(load(launch_file.split(".")[0])))
    # systemd sees only the end of `ros2 launch`, which runs on as long as one of its processes does.
    assert "use_respawn:=true" in arguments or name == "amigobot-record"
    assert unit["Service"]["KillSignal"] == "SIGINT"
    assert unit["Service"]["KillMode"] == "mixed", "a signal to each process of the launch would arrive twice"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with mocked_launch(FOLDER) as loader:
        yield loader


def parameter_file(folder: Path, content: str) -> str:
    file = folder / "params.yaml"
    file.write_text(content, encoding="utf-8")
    return str(file)


# --- all of them -----------------------------------------------------------------------------------------------


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


def test_what_may_not_be_installed_comes_before_the_driver(load: Any) -> None:
    """launch ends if a package is missing, and does not end what it has just started."""
    module = load("amigobot")
    values = {name: argument["default_value"] for name, argument in declared(module).items()}
    module.Node.side_effect = lambda **options: options["executable"]
    actions = module.start(MagicMock(launch_configurations=values))
    assert actions == ["robot_state_publisher", "amigobot_node"]


@pytest.mark.parametrize(
    ("port", "robot"),
    [("sim://", "amigo"), ("sim://amigo-sh", "amigo-sh"), ("sim://amigo-sh?seed=1", "amigo-sh"), ("/dev/x", "amigo")],
)
def test_the_model_is_that_of_the_simulated_robot(load: Any, port: str, robot: str) -> None:
    _, publisher = started(load("amigobot"), port=port)
    assert publisher["parameters"][0]["robot_description"] == robot_description(load_profile(robot))


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
    *_, rviz = started(module, robot="p3at")
    text = Path(rviz["arguments"][1]).read_text(encoding="utf-8")
    assert "sonar/range_15" in text and "sonar/range_16" not in text


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
def test_which_section_of_a_file_a_node_reads(tmp_path: Path, content: str, node: str, found: dict[str, int]) -> None:
    assert parameters_in(Path(parameter_file(tmp_path, content)), node) == found


# --- the others ------------------------------------------------------------------------------------------------


def test_a_fleet_keeps_its_robots_apart(load: Any) -> None:
    module = load("fleet")
    places = started(module)
    robots = [dict(call.kwargs["launch_arguments"]) for call in module.IncludeLaunchDescription.call_args_list]
    names = [robot["namespace"] for robot in robots]
    assert len(names) == len(set(names)) > 1
    assert [robot["frame_prefix"] for robot in robots] == [f"{name}/" for name in names]
    assert [place["arguments"][-1] for place in places] == [f"{name}/odom" for name in names]
    known = set(declared(load("amigobot")))
    assert all(set(robot) <= known for robot in robots)


def test_a_robot_of_a_fleet_has_parameters_of_the_node(load: Any) -> None:
    """launch gives an included file all arguments, also those that it does not declare."""
    module = load("amigobot")
    values = {name: argument["default_value"] for name, argument in declared(module).items()}
    values |= {"sonar_on_connect": "when_subscribed", "max_linear_velocity": "0.3", "rotation_kp": "20"}
    module.start(MagicMock(launch_configurations=values))
    driver, _ = (call.kwargs for call in module.Node.call_args_list)
    assert driver["parameters"][1] == {
        "sonar_on_connect": "when_subscribed",
        "max_linear_velocity": 0.3,
        "rotation_kp": 20,
    }


def test_a_simulated_fleet_shares_a_world(load: Any, tmp_path: Path) -> None:
    robots = "{a: {pty: /tmp/a, start: [1, 2, 90]}, b: {tcp: 8102, start: [3, 2, 0], robot: p3dx}}"
    file = parameter_file(tmp_path, f"robots: {robots}")
    module = load("fleet")
    places = started(module, robots_file=file)
    assert module.ExecuteProcess.call_args.kwargs["cmd"] == ["amigobot", "sim", "--robots", file]
    robots = [dict(call.kwargs["launch_arguments"]) for call in module.IncludeLaunchDescription.call_args_list]
    assert [(robot["namespace"], robot["port"], robot.get("robot")) for robot in robots] == [
        ("a", "/tmp/a", None),
        ("b", "socket://127.0.0.1:8102", "p3dx"),
    ]
    assert [place["arguments"][1::2][:2] for place in places] == [["1.0", "2.0"], ["3.0", "2.0"]]


@pytest.mark.parametrize("content", ["", "robots: [a]", "robots: {a: 1}"])
def test_a_fleet_file_without_robots_is_refused(load: Any, tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match="robots"):
        started(load("fleet"), fleet_file=parameter_file(tmp_path, content))


def test_a_recording_has_the_topics_of_one_robot(load: Any, tmp_path: Path) -> None:
    module = load("record")
    module.generate_launch_description()
    values = {"namespace": "alpha", "name": "", "output": str(tmp_path / "bags"), "extra": "/map", "packets": "false"}
    values["split"] = "3600"
    module.start(MagicMock(launch_configurations=values))
    assert module.ExecuteProcess.call_count == 1
    command = module.ExecuteProcess.call_args.kwargs["cmd"]
    assert command[:3] == ["ros2", "bag", "record"]
    assert command[command.index("--max-bag-duration") + 1] == "3600"
    assert re.fullmatch(r".*/bags/alpha_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", command[command.index("--output") + 1])
    pattern = command[command.index("--regex") + 1]
    for topic in ("/alpha/odom", "/alpha/sonar/range_7", "/alpha/aux1/rx", "/tf_static", "/diagnostics", "/map"):
        assert re.search(pattern, topic), topic
    for topic in ("/odom", "/beta/odom", "/alpha/odom/more", "/alpha/tf", "/rosout", "/alpha/map"):
        assert not re.search(pattern, topic), topic


def test_a_recording_has_packets_only_if_asked_for(load: Any, tmp_path: Path) -> None:
    module = load("record")
    values = {"namespace": "alpha", "name": "", "output": str(tmp_path), "extra": "", "split": "0"}
    for packets in ("true", "false"):
        module.start(MagicMock(launch_configurations={**values, "packets": packets}))
        pattern = module.ExecuteProcess.call_args.kwargs["cmd"][-1]
        assert bool(re.search(pattern, "/alpha/packets")) is (packets == "true")
        assert re.search(pattern, "/alpha/robot_config")


@pytest.mark.parametrize(("namespace", "here"), [("", ""), ("alpha", "/alpha"), ("/fleet/alpha/", "/fleet/alpha")])
def test_a_replay_plays_the_packets_alone_and_starts_paused(
    load: Any, tmp_path: Path, namespace: str, here: str
) -> None:
    module = load("replay")
    values = {name: argument.get("default_value", "") for name, argument in declared(module).items()}
    values |= {"bag": str(tmp_path), "namespace": namespace, "param_file": "mine.p", "rate": "5", "loop": "true"}
    module.start(MagicMock(launch_configurations=values))
    driver = dict(module.IncludeLaunchDescription.call_args.kwargs["launch_arguments"])
    assert set(driver) <= set(declared(load("amigobot")))
    assert (driver["port"], driver["use_sim_time"], driver["param_file"]) == ("replay://recorded", "true", "mine.p")
    command = module.ExecuteProcess.call_args.kwargs["cmd"]
    assert command[:4] == ["ros2", "bag", "play", str(tmp_path)]
    assert {"--start-paused", "--disable-keyboard-controls", "--wait-for-all-acked", "--loop"} <= set(command)
    assert command[command.index("--topics") + 1 :] == [
        f"{here}/packets",
        f"{here}/robot_config",
        "--remap",
        f"{here}/packets:={here}/recorded/packets",
        f"{here}/robot_config:={here}/recorded/robot_config",
        f"__ns:={here}/recorded",
    ]
    qos = yaml.safe_load(Path(command[command.index("--qos-profile-overrides-path") + 1]).read_text(encoding="utf-8"))
    assert qos[f"{here}/packets"] == {"history": "keep_all", "reliability": "reliable", "durability": "volatile"}
    assert qos[f"{here}/robot_config"]["durability"] == "transient_local"


# --- what they read --------------------------------------------------------------------------------------------


def test_the_parameter_file_has_the_defaults_of_the_code() -> None:
    content = yaml.safe_load(share("config", "amigobot.yaml").read_text(encoding="utf-8"))
    expected = {spec.name: spec.default for spec in TABLE if spec.name != "enable_stamped_cmd_vel"}
    assert content["/**"]["ros__parameters"] == expected, "./run python -m tools.interface_files writes it anew"


@pytest.mark.parametrize("name", available_profiles())
def test_layouts_show_each_sonar_of_a_robot_once(name: str) -> None:
    profile = load_profile(name)
    sonars = [f"sonar/range_{number}" for number in range(len(profile.sonar.poses))]
    shown = [topic for topic in topics(yaml.safe_load(rviz_layout(profile))) if "range_" in topic]
    assert shown == sonars
    paths = json.loads(foxglove_layout(profile))["configById"]["Plot!sonar"]["paths"]
    assert [path["value"] for path in paths] == [f"/{sonar}.range" for sonar in sonars]
    assert [path["label"] for path in paths] == [f"sonar {number}" for number in range(len(sonars))]


def test_the_shipped_layouts_are_those_of_an_amigobot() -> None:
    amigo = load_profile("amigo")
    rviz = share("rviz", "amigobot.rviz").read_text(encoding="utf-8")
    foxglove = share("config", "foxglove.json").read_text(encoding="utf-8")
    assert yaml.safe_load(rviz_layout(amigo)) == yaml.safe_load(rviz)
    assert json.loads(foxglove_layout(amigo)) == json.loads(foxglove)
