# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The launch files of the driver: what they start, from which arguments."""

from __future__ import annotations

import configparser
import json
import re
from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy", reason="rclpy is not installed: the arguments come from the node's parameters")

from launch_files import declared, launch_file, started, topics

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.profiles.description import robot_description
from amigobot_driver.profiles.layouts import foxglove_layout, rviz_layout
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import parameters_in

ROBOT = launch_file("amigobot")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["amigobot", "amigobot-record"])
def test_a_service_runs_a_launch_file_until_stopped(name: str) -> None:
    unit = configparser.RawConfigParser(strict=False)  # ExecStartPre may stand twice
    unit.read(share("systemd") / f"{name}.service", encoding="utf-8")
    command = unit["Service"]["ExecStart"]
    (file, *arguments) = command[command.index("amigobot_driver ") :].rstrip("'").split()[1:]
    assert {argument.partition(":=")[0] for argument in arguments} <= set(declared(share("launch", file)))
    # systemd sees only the end of `ros2 launch`, which runs on as long as one of its processes does.
    assert "use_respawn:=true" in arguments or name == "amigobot-record"
    assert unit["Service"]["KillSignal"] == "SIGINT"
    assert unit["Service"]["KillMode"] == "mixed", "a signal to each process of the launch would arrive twice"


def parameter_file(folder: Path, content: str) -> str:
    file = folder / "params.yaml"
    file.write_text(content, encoding="utf-8")
    return str(file)


# --- amigobot.launch.py ----------------------------------------------------------------------------------------


def test_arguments_left_alone_do_not_touch_the_parameter_file(tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "/**: {ros__parameters: {cmd_vel_timeout: 0.7}}")
    # launch ends if a package is missing, and does not end what it has just started: the driver comes last.
    publisher, driver = started(ROBOT, params_file=file)
    assert (driver.executable, driver.parameters) == ("amigobot_node", {"cmd_vel_timeout": 0.7})
    model = robot_description(load_profile("amigo"))
    assert publisher.parameters == {"robot_description": model, "frame_prefix": "", "use_sim_time": False}


def test_given_arguments_reach_the_node_in_their_types() -> None:
    given = {"port": "/dev/ttyUSB0", "baud": "38400", "publish_tf": "False", "robot": "amigo-sh", "base_frame": "123"}
    # A fleet file gives more parameters of the node, which launch passes on although no file declares them.
    more = {"sonar_on_connect": "when_subscribed", "max_linear_velocity": "0.3", "rotation_kp": "20"}
    publisher, driver = started(ROBOT, namespace="alpha", **given, **more)
    expected = given | more
    expected |= {"baud": 38400, "publish_tf": False, "max_linear_velocity": 0.3, "rotation_kp": 20}
    assert driver.parameters.items() >= expected.items()
    assert driver.namespace == publisher.namespace == "/alpha"
    assert publisher.parameters["robot_description"] == robot_description(load_profile("amigo-sh"), "123")


@pytest.mark.parametrize(
    ("port", "robot"),
    [("sim://", "amigo"), ("sim://amigo-sh", "amigo-sh"), ("sim://amigo-sh?seed=1", "amigo-sh"), ("/dev/x", "amigo")],
)
def test_the_model_is_that_of_the_simulated_robot(port: str, robot: str) -> None:
    publisher = started(ROBOT, port=port).the("robot_state_publisher")
    assert publisher.parameters["robot_description"] == robot_description(load_profile(robot))


@pytest.mark.parametrize(
    ("argument", "value"), [("publish_tf", "maybe"), ("baud", "fast"), ("params_file", "/nowhere"), ("robot", "r2d2")]
)
def test_a_bad_argument_is_named(argument: str, value: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=f"{argument}.*{value}"):
        started(ROBOT, **{argument: value})


def test_rviz_starts_where_there_is_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share" / "ament_index" / "resource_index" / "packages").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")
    assert not started(ROBOT).of("rviz2")
    assert "no RViz here" in " ".join(started(ROBOT, use_rviz="true").notes)
    (tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "rviz2").touch()
    assert started(ROBOT, use_rviz="true").of("rviz2")
    monkeypatch.setenv("DISPLAY", ":0")
    assert not started(ROBOT, use_rviz="false").of("rviz2")
    assert not started(ROBOT, port="/dev/ttyUSB0").of("rviz2")
    rviz = started(ROBOT, namespace="alpha", frame_prefix="alpha/", odom_frame="o").the("rviz2")
    assert rviz.namespace == "/alpha"
    _, view, _, frame = rviz.words
    assert frame == "alpha/o"
    displays = yaml.safe_load(view)["Visualization Manager"]["Displays"]
    assert [display["TF Prefix"] for display in displays if "TF Prefix" in display] == ["alpha"]
    view = started(ROBOT, robot="p3at").the("rviz2").words[1]
    assert "sonar/range_15" in view and "sonar/range_16" not in view


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
        ("/**/amigobot: {ros__parameters: {a: 1}}", "amigobot", {"a": 1}),
        ("/**: {ros__parameters: {a: 1, b: 1}}\n/amigobot: {ros__parameters: {a: 2}}", "amigobot", {"a": 2, "b": 1}),
        ("/**: {ros__parameters: }", "amigobot", {}),
        ("", "amigobot", {}),
    ],
)
def test_which_section_of_a_file_a_node_reads(tmp_path: Path, content: str, node: str, found: dict[str, int]) -> None:
    assert parameters_in(Path(parameter_file(tmp_path, content)), node) == found


# --- the others ------------------------------------------------------------------------------------------------


def test_a_fleet_keeps_its_robots_apart() -> None:
    fleet = started(launch_file("fleet"))
    names = [driver.namespace.strip("/") for driver in fleet.of("amigobot_node")]
    assert len(names) == len(set(names)) > 1
    assert [driver.parameters["frame_prefix"] for driver in fleet.of("amigobot_node")] == [f"{n}/" for n in names]
    assert [place.words[-1] for place in fleet.of("place")] == [f"{name}/odom" for name in names]


def test_a_simulated_fleet_shares_a_world(tmp_path: Path) -> None:
    robots = "{a: {pty: /tmp/a, start: [1, 2, 90]}, b: {tcp: 8102, start: [3, 2, 0], robot: p3dx}}"
    file = parameter_file(tmp_path, f"robots: {robots}")
    fleet = started(launch_file("fleet"), robots_file=file)
    assert (fleet[0].executable, *fleet[0].words) == ("amigobot", "sim", "--robots", Path(file).read_text("utf-8"))
    ports = [(driver.namespace, driver.parameters["port"]) for driver in fleet.of("amigobot_node")]
    assert ports == [("/a", "/tmp/a"), ("/b", "socket://127.0.0.1:8102")]
    models = [publisher.parameters["robot_description"] for publisher in fleet.of("robot_state_publisher")]
    assert models == [robot_description(load_profile(name)) for name in ("amigo", "p3dx")]
    assert [place.words[1:4:2] for place in fleet.of("place")] == [("1.0", "2.0"), ("3.0", "2.0")]


@pytest.mark.parametrize("content", ["", "robots: [a]", "robots: {a: 1}"])
def test_a_fleet_file_without_robots_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match="robots"):
        started(launch_file("fleet"), fleet_file=parameter_file(tmp_path, content))


@pytest.mark.parametrize("packets", ["true", "false"])
def test_a_recording_has_the_topics_of_one_robot(tmp_path: Path, packets: str) -> None:
    given = {"namespace": "alpha", "output": str(tmp_path / "bags"), "extra": "/map", "split": "3600"}
    (recorder,) = started(launch_file("record"), packets=packets, **given)
    words = (recorder.executable, *recorder.words)
    assert words[:3] == ("ros2", "bag", "record")
    assert words[words.index("--max-bag-duration") + 1] == "3600"
    assert re.fullmatch(r".*/bags/alpha_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", words[words.index("--output") + 1])
    pattern = words[words.index("--regex") + 1]
    recorded = ("odom", "sonar/range_7", "aux1/rx", "robot_config", *(["packets"] if packets == "true" else []))
    for topic in (*(f"/alpha/{name}" for name in recorded), "/tf_static", "/diagnostics", "/map"):
        assert re.search(pattern, topic), topic
    left_out = ("odom/more", "tf", "map", *(["packets"] if packets == "false" else []))
    for topic in (*(f"/alpha/{name}" for name in left_out), "/odom", "/beta/odom", "/rosout"):
        assert not re.search(pattern, topic), topic


@pytest.mark.parametrize(("namespace", "here"), [("", ""), ("alpha", "/alpha"), ("/fleet/alpha/", "/fleet/alpha")])
def test_a_replay_plays_the_packets_alone_and_starts_paused(tmp_path: Path, namespace: str, here: str) -> None:
    bag, calibration = str(tmp_path), tmp_path / "mine.p"
    calibration.write_text("Class Pioneer\nSubclass amigo\nSonarNum 1\nSonarUnit 0 75 105 90\n", encoding="utf-8")
    given = {"bag": bag, "namespace": namespace, "param_file": str(calibration), "rate": "5", "loop": "true"}
    replay = started(launch_file("replay"), **given)
    expected = {"port": "replay://recorded", "use_sim_time": True, "param_file": str(calibration)}
    assert replay.the("amigobot_node").parameters.items() >= expected.items()
    command = replay.the("ros2").words
    assert command[:3] == ("bag", "play", bag)
    assert {"--start-paused", "--disable-keyboard-controls", "--wait-for-all-acked", "--loop"} <= set(command)
    assert command[command.index("--topics") + 1 :] == (
        f"{here}/packets",
        f"{here}/robot_config",
        "--remap",
        f"{here}/packets:={here}/recorded/packets",
        f"{here}/robot_config:={here}/recorded/robot_config",
        f"__ns:={here}/recorded",
    )
    qos = yaml.safe_load(command[command.index("--qos-profile-overrides-path") + 1])
    assert qos[f"{here}/packets"] == {"history": "keep_all", "reliability": "reliable", "durability": "volatile"}
    assert qos[f"{here}/robot_config"]["durability"] == "transient_local"


# --- what they read --------------------------------------------------------------------------------------------


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


def test_the_gamepad_drives_through_the_multiplexer() -> None:
    found = started(launch_file("joystick"), namespace="alpha", enable_stamped_cmd_vel="true")
    joystick, mux = found.the("teleop_twist_joy"), found.the("twist_mux")
    assert (joystick.parameters["publish_stamped_twist"], mux.parameters["use_stamped"]) == (True, True)
    assert ("cmd_vel", "joy_vel") in joystick.remappings
    gamepad = ("joy", "joy_teleop/joy")  # joy is the joystick of a Pioneer, which would send zeros between
    assert gamepad in joystick.remappings and gamepad in found.the("joy").remappings
    assert ("cmd_vel_out", "cmd_vel") in mux.remappings
    assert {process.namespace for process in found} == {"/alpha"}
    topics = mux.parameters["topics"]
    assert topics["joystick"]["topic"] == "joy_vel"
    assert topics["joystick"]["priority"] > topics["program"]["priority"]
