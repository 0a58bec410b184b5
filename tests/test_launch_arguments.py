# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every argument of every launch file reaches what it is about; robots with names of their own keep to them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("rclpy", reason="rclpy is not installed: the arguments come from the node's parameters")

from launch_files import Process, declared, started

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    path.name.removesuffix(".launch.py"): path
    for package in ("amigobot_driver", "amigobot_navigation")
    for path in sorted((ROOT / package / "launch").glob("*.launch.py"))
}
Resolve = Callable[[str, Mapping[str, str]], list[Process]]

#: slam_toolbox's own launch file, as far as ours depends on it: no namespace, `map` is absolute.
SLAM = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import LifecycleNode

def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("use_sim_time", default_value="true"),
        DeclareLaunchArgument("slam_params_file", default_value="/nowhere"),
        OpaqueFunction(function=start),
    ])

def start(context):
    given = context.launch_configurations
    parameters = [given["slam_params_file"], {"use_sim_time": given["use_sim_time"] == "true"}]
    return [LifecycleNode(package="slam_toolbox", executable="async_slam_toolbox_node", name="slam_toolbox",
                          namespace="", parameters=parameters)]
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that launch files look for: RViz, and slam_toolbox with its launch file."""
    prefix = tmp_path / "packages"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    for name in ("rviz2", "slam_toolbox"):
        (index / name).touch()
        (prefix / "share" / name / "launch").mkdir(parents=True)
    (prefix / "share" / "slam_toolbox" / "launch" / "online_async_launch.py").write_text(SLAM, encoding="utf-8")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{prefix}{os.pathsep}{os.environ.get('AMENT_PREFIX_PATH', '')}")
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(time, "strftime", lambda *_: "DATE")


@pytest.fixture
def resolve(packages: None) -> Resolve:
    """What a launch file would start, from its name and its arguments."""
    return lambda name, arguments: started(FILES[name], **arguments)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files that arguments can name."""
    contents = {
        "driver.yaml": "/**: {ros__parameters: {base_frame: chassis, port: sim://erratic}}",
        "nodes.yaml": "/**: {ros__parameters: {answer: 42}}",
        "fleet.yaml": "robots: {gamma: {port: sim://erratic}}",
        "robots.yaml": "robots: {gamma: {pty: /tmp/gamma}}",
        "mine.p": "Class Pioneer\nSubclass amigo\nSonarNum 1\nSonarUnit 0 75 105 90\n",
        "bag": "one recording",
        "other_bag": "another recording",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return {name: str(tmp_path / name) for name in contents}


#: What is given besides, where an argument has no effect without it.
NEEDED = {
    "amigobot-dashboard_listen": {"dashboard": "true"},
    "navigation-dashboard": {"sim": "true"},
    "replay": {"bag": "bag"},
    "navigation-world": {"sim": "true"},
    "navigation-robot": {"sim": "true"},
    "navigation-driver_params_file": {"sim": "true"},
    "navigation-slam_params_file": {"localization": "slam"},
    "navigation-start": {"sim": "true"},
}

#: Another value for each argument; the names of `files` stand for them.
OTHER = {
    "bag": "other_bag",
    "base_frame": "chassis",
    "bridge_baud": "9600",
    "baud": "38400",
    "dashboard": "true",
    "dashboard_listen": "127.0.0.1:9000",
    "use_description": "false",
    "driver_params_file": "driver.yaml",
    "ekf_file": "nodes.yaml",
    "enable_stamped_cmd_vel": "true",
    "extra": "/map",
    "fleet_file": "fleet.yaml",
    "frame_prefix": "a/",
    "joystick_file": "nodes.yaml",
    "localization": "odometry",
    "log_level": "debug",
    "loop": "true",
    "map": "/maps/mine.yaml",
    "map_frame": "world",
    "name": "mine",
    "namespace": "alpha",
    "namespaced_tf": "true",
    "odom_frame": "wheels",
    "output": "/tmp",
    "packets": "true",
    "param_file": "mine.p",
    "params_file": "nodes.yaml",
    "port": "sim://p3dx",
    "publish_scan": "true",
    "publish_tf": "false",
    "rate": "3.0",
    "robot": "amigo-sh",
    "use_rviz": "true",
    "sim": "true",
    "robots_file": "robots.yaml",
    "slam_params_file": "nodes.yaml",
    "split": "60",
    "start": "1.0,2.0,90",
    "use_respawn": "true",
    "use_sim_time": "true",
    "world": "room",
}


def all_arguments() -> Iterator[Any]:
    for name, path in FILES.items():
        for argument in declared(path):
            yield pytest.param(name, argument, id=f"{name}-{argument}")


@pytest.mark.parametrize(("name", "argument"), all_arguments())
def test_every_argument_changes_what_is_started(
    resolve: Resolve, files: dict[str, str], name: str, argument: str
) -> None:
    def result(arguments: Mapping[str, str]) -> list[Process]:
        return resolve(name, {key: files.get(value, value) for key, value in arguments.items()})

    needed = {**NEEDED.get(name, {}), **NEEDED.get(f"{name}-{argument}", {})}
    assert result({**needed, argument: OTHER[argument]}) != result(needed)


#: Launch files that start nodes for one robot, in every way they can.
ROBOTS = [
    ("amigobot", {"use_rviz": "true"}),
    ("ekf", {}),
    ("navigation", {"sim": "true", "use_rviz": "true"}),
    ("navigation", {"port": "/dev/ttyUSB0", "localization": "odometry"}),
    ("navigation", {"sim": "true", "localization": "slam"}),
]


def identifier(value: Any) -> str | None:
    return "-".join(value) if isinstance(value, dict) else None


in_each_case = pytest.mark.parametrize(("name", "arguments"), ROBOTS, ids=identifier)


@in_each_case
def test_all_nodes_have_the_namespace_and_their_parameters(
    resolve: Resolve, name: str, arguments: dict[str, str]
) -> None:
    alone, named = resolve(name, arguments), resolve(name, {**arguments, "namespace": "/fleet/alpha"})
    assert [process.executable for process in named] == [process.executable for process in alone]
    for before, after in zip(alone, named, strict=True):
        assert after.namespace == "/fleet/alpha", after.executable
        assert after.parameters.keys() == before.parameters.keys(), after.executable


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested parameters, with their names."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path)
    else:
        yield path, value


@in_each_case
@pytest.mark.parametrize("given_by", ["arguments", "params_file"])
def test_all_nodes_of_a_robot_know_its_frames(
    resolve: Resolve, tmp_path: Path, name: str, arguments: dict[str, str], given_by: str
) -> None:
    """The driver's frames may be renamed by arguments, or in its parameter file."""
    names = {"frame_prefix": "a/"}
    if given_by == "params_file":
        names |= {"odom_frame": "wheels", "base_frame": "chassis"}
        file = tmp_path / "driver.yaml"
        file.write_text(yaml.safe_dump({"/**": {"ros__parameters": names}}), encoding="utf-8")
        given = {("driver_params_file" if name == "navigation" else "params_file"): str(file)}
    else:
        given = names
    odom, base = f"a/{names.get('odom_frame', 'odom')}", f"a/{names.get('base_frame', 'base_link')}"
    for process in resolve(name, {**arguments, **given}):
        if process.executable == "amigobot_node":
            continue  # it adds the prefix by itself
        frames = {value for path, value in leaves(process.parameters) if path.endswith(("frame", "frame_id"))}
        assert frames <= {odom, base, "map"}, process.executable
        if "--child-frame-id" in process.words:
            assert process.words[process.words.index("--child-frame-id") + 1] == odom


def test_the_filter_is_where_its_robot_is(resolve: Resolve) -> None:
    names = {"frame_prefix": "a/", "odom_frame": "wheels", "use_sim_time": "true"}
    found = {process.executable: process for process in resolve("ekf", {"namespace": "alpha", **names})}
    parameters = found["ekf_node"].parameters
    assert parameters["world_frame"] == "a/wheels"
    assert parameters["use_sim_time"] is found["amigobot_node"].parameters["use_sim_time"] is True
    relative = "relative: in the namespace of the filter"
    assert (parameters["odom0"], parameters["imu0"]) == ("odom", "imu/data_raw"), relative
    assert found["amigobot_node"].parameters["publish_tf"] is False


@in_each_case
def test_all_nodes_of_a_robot_share_namespaced_transforms(
    resolve: Resolve, name: str, arguments: dict[str, str]
) -> None:
    for process in resolve(name, {**arguments, "namespace": "alpha", "namespaced_tf": "true"}):
        assert {("/tf", "tf"), ("/tf_static", "tf_static")} <= process.remappings, process.executable
