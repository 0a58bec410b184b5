# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several robots, each in a namespace of its name and with its name before its frames; simulated ones share a world."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, GroupAction, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_support import RESPAWN_DELAY, TF_REMAPPINGS, effective_parameters, robot_frames
from amigobot_driver.sim import RobotsFile, load_robots
from amigobot_driver.wording import wrong_type

_SWITCH = ("true", "false")
#: Launch arguments: name, default, choices, description.
_ARGUMENTS = (
    ("fleet_file", str(share("config", "fleet.yaml")), None, "the robots: names, launch arguments and parameters"),
    ("robots_file", "", None, "simulate the robots of this file in one world instead, as config/robots.yaml"),
    ("map_frame", "map", None, "frame of the start poses in the fleet file"),
    ("namespaced_tf", "false", _SWITCH, "each robot has tf and tf_static in its namespace, and no frame prefix"),
    ("use_respawn", "false", _SWITCH, "restart drivers 2 s after they end; the fleet file overrides it for a robot"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the fleet."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, choices=choices, description=text)
                for name, default, choices, text in _ARGUMENTS
            ),
            OpaqueFunction(function=start),
        ]
    )


def start(context: LaunchContext) -> list[Action]:
    """Return the actions of all robots."""
    arguments = context.launch_configurations
    actions: list[Action] = []
    if path := arguments["robots_file"]:
        robots = simulated(load_robots(path))
        actions.append(ExecuteProcess(cmd=["amigobot", "sim", "--robots", path], output="screen"))
    else:
        robots = read_fleet(Path(arguments["fleet_file"]))
    return [*actions, *(action for name, robot in robots.items() for action in one(name, robot, arguments))]


def simulated(file: RobotsFile) -> dict[str, dict[str, Any]]:
    """Return the arguments for robots that `amigobot sim --robots` serves."""
    robots = {}
    for robot in file.robots:
        start = file.start(robot)
        host, _, number = robot.tcp.rpartition(":")
        port = robot.pty or f"socket://{host or '127.0.0.1'}:{number}"
        model = {key: value for key, value in robot.options.items() if key == "robot"}
        robots[robot.name] = {"port": port, **model, "at": [start.x, start.y, math.degrees(start.heading)]}
    return robots


def read_fleet(file: Path) -> dict[str, dict[str, Any]]:
    """Read a fleet file: the launch arguments of each robot by its name."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    robots = content.get("robots") if isinstance(content, dict) else None
    if not isinstance(robots, dict) or not all(isinstance(robot, dict) for robot in robots.values()):
        expected = "a mapping of names to the arguments of amigobot.launch.py"
        raise ValueError(wrong_type(f"{file}: robots", robots, expected))
    return robots


def one(name: str, robot: dict[str, Any], given: dict[str, str]) -> list[Action]:
    """A robot, and the place where its odometry began."""
    own_tree = str(robot.get("namespaced_tf", given["namespaced_tf"])).lower() == "true"
    arguments = {
        "params_file": share("config", "amigobot.yaml"),
        "namespace": name,
        "namespaced_tf": own_tree,
        "frame_prefix": "" if own_tree else f"{name}/",
        "rviz": "false",
        "use_respawn": given["use_respawn"],
        **robot,
    }
    place = arguments.pop("at", None)
    source = PythonLaunchDescriptionSource(str(share("launch", "amigobot.launch.py")))
    texts = {key: text_of(value) for key, value in arguments.items()}
    driver = IncludeLaunchDescription(source, launch_arguments=texts.items())
    # Scoped, so that no robot inherits the arguments of the one before it.
    actions: list[Action] = [GroupAction([driver], scoped=True, forwarding=False)]
    if place is not None:
        x, y, heading = map(float, place)
        odom = robot_frames(effective_parameters(texts))["odom"]
        options = {"x": x, "y": y, "yaw": math.radians(heading), "frame-id": given["map_frame"], "child-frame-id": odom}
        actions.append(
            Node(
                package="tf2_ros",
                executable="static_transform_publisher",
                name="place",
                namespace=texts["namespace"],
                arguments=[word for key, value in options.items() for word in (f"--{key}", str(value))],
                remappings=TF_REMAPPINGS if own_tree else None,
                respawn=texts["use_respawn"] == "true",
                respawn_delay=RESPAWN_DELAY,
            )
        )
    return actions


def text_of(value: Any) -> str:
    """A value of the YAML file as one types it behind := on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
