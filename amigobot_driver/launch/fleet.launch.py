# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several robots, each in a namespace of its name and with its name before its frames; simulated ones share a world."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml
from launch import Action, LaunchDescription
from launch.actions import ExecuteProcess, GroupAction, Shutdown

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import effective_parameters, robot_frames
from amigobot_driver.ros.launch_support import SWITCH, describe, driver, in_tf_tree, node_options, static_tf
from amigobot_driver.sim import RobotsFile, load_robots
from amigobot_driver.wording import wrong_type

#: Launch arguments: name, default, choices, description.
_ARGUMENTS = (
    ("fleet_file", str(share("config", "fleet.yaml")), None, "the robots: names, launch arguments and parameters"),
    ("robots_file", "", None, "simulate the robots of this file in one world instead, as config/robots.yaml"),
    ("map_frame", "map", None, "frame of the start poses in the fleet file"),
    ("namespaced_tf", "false", SWITCH, "each robot has tf and tf_static in its namespace, and no frame prefix"),
    ("use_respawn", "false", SWITCH, "restart drivers 2 s after they end; the fleet file overrides it for a robot"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the fleet."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the actions of all robots."""
    actions: list[Action] = []
    if path := arguments["robots_file"]:
        robots = simulated(load_robots(path))
        ended = Shutdown(reason="the simulator has ended")
        actions.append(ExecuteProcess(cmd=["amigobot", "sim", "--robots", path], output="screen", on_exit=ended))
    else:
        robots = read_fleet(Path(arguments["fleet_file"]))
    return [*actions, *(action for name, robot in robots.items() for action in robot_actions(name, robot, arguments))]


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


def robot_actions(name: str, robot: dict[str, Any], given: dict[str, str]) -> list[Action]:
    """Return the driver of a robot, and the transform from the map to its start pose."""
    own_tree = text_of(robot.get("namespaced_tf", given["namespaced_tf"]))
    arguments = {
        "params_file": share("config", "amigobot.yaml"),
        "namespace": name,
        "frame_prefix": "" if own_tree == "true" else f"{name}/",
        "use_rviz": "false",
        "use_respawn": given["use_respawn"],
        **robot,
        "namespaced_tf": own_tree,
    }
    place = arguments.pop("at", None)
    texts = {key: text_of(value) for key, value in arguments.items()}
    # Scoped: no robot inherits the arguments of the one before it.
    actions: list[Action] = [GroupAction([driver(texts)], scoped=True, forwarding=False)]
    if place is not None:
        x, y, degrees = map(float, place)
        frames = given["map_frame"], robot_frames(effective_parameters(texts))["odom"]
        transform = static_tf("place", frames, (x, y, math.radians(degrees)), **node_options(texts))
        actions += in_tf_tree(texts, [transform])
    return actions


def text_of(value: Any) -> str:
    """Return a value of the YAML file as the text of a launch argument."""
    return str(value).lower() if isinstance(value, bool) else str(value)
