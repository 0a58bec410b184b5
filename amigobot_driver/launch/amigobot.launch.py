# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver and its robot's description: without arguments, a simulated AmigoBot."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import Action, LaunchDescription
from launch.actions import ExecuteProcess, LogInfo
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from amigobot_driver.profiles import load_profile
from amigobot_driver.profiles.description import robot_description
from amigobot_driver.profiles.layouts import rviz_layout
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import ARGUMENTS, effective_parameters, given_parameters, temporary_file
from amigobot_driver.ros.launch_support import SWITCH, describe, in_tf_tree, node_options

#: Logged if nothing names a real robot: the driver asks it only later.
UNKNOWN_ROBOT = (
    "the model is that of an AmigoBot; name the profile of another robot: robot:=NAME for amigobot.launch.py, "
    "robot: NAME in a fleet file"
)
#: Launch arguments besides the parameters of the node: name, default, choices, description.
_ARGUMENTS = (
    ("params_file", str(share("config", "amigobot.yaml")), None, "parameter file of the node; arguments override it"),
    ("namespace", "", None, "namespace of all topics, services and nodes of the robot"),
    ("namespaced_tf", "false", SWITCH, "/tf and /tf_static are tf and tf_static in the namespace, as in Nav2"),
    ("use_description", "true", SWITCH, "start robot_state_publisher with the model of this robot"),
    ("use_rviz", "auto", ("auto", *SWITCH), "start RViz; auto: for a simulated robot, with a screen and RViz"),
    ("dashboard", "false", SWITCH, "serve the dashboard for a browser; needs the package amigobot_tools"),
    ("dashboard_listen", "127.0.0.1:8140", None, "address of the dashboard; beyond loopback it needs a token"),
    ("log_level", "info", ("debug", "info", "warn", "error"), "log level of the driver"),
    ("use_respawn", "false", SWITCH, "restart the driver and robot_state_publisher 2 s after they end for any reason"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the robot."""
    return describe((*ARGUMENTS, *_ARGUMENTS), start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the driver and the processes around it."""
    values = effective_parameters(arguments)
    given = {name: typed(value) for name, value in given_parameters(arguments).items()}
    logger = f"{arguments['namespace']}/amigobot".strip("/").replace("/", ".")
    driver = Node(
        package="amigobot_driver",
        executable="amigobot_node",
        name="amigobot",
        parameters=[arguments["params_file"], given],
        arguments=["--ros-args", "--log-level", f"{logger}:={arguments['log_level']}"],
        output="both",
        emulate_tty=True,
        **node_options(arguments),
    )
    # The driver starts last: if another required package is missing, launch ends and would leave the driver running.
    actions = [*state_publisher(arguments, values), driver, *rviz(arguments, values), *dashboard(arguments)]
    return in_tf_tree(arguments, actions)


def state_publisher(arguments: dict[str, str], values: dict[str, Any]) -> list[Action]:
    """Return robot_state_publisher; the arguments must name a real robot, as the driver asks it only later."""
    if arguments["use_description"] != "true":
        return []
    name = profile_name(values)
    urdf = robot_description(load_profile(name or "amigo"), values["base_frame"])
    parameters = {"robot_description": typed(urdf)}
    parameters |= {name: typed(values[name]) for name in ("frame_prefix", "use_sim_time")}
    executable = "robot_state_publisher"
    publisher = Node(package=executable, executable=executable, parameters=[parameters], **node_options(arguments))
    if name or is_simulated(values):
        return [publisher]
    return [LogInfo(msg=f"{arguments['namespace'] or 'amigobot'}: {UNKNOWN_ROBOT}"), publisher]


def rviz(arguments: dict[str, str], values: dict[str, Any]) -> list[Action]:
    """Return RViz in the robot's namespace: the topics in its file are relative."""
    requested, has_screen = arguments["use_rviz"], any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if requested == "false" or (requested == "auto" and not (has_screen and is_simulated(values))):
        return []
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        distro = os.environ.get("ROS_DISTRO", "$ROS_DISTRO")
        return [LogInfo(msg=f"no RViz here: sudo apt install ros-{distro}-rviz2")]
    prefix = values["frame_prefix"]
    layout = temporary_file(rviz_layout(load_profile(profile_name(values) or "amigo"), prefix), ".rviz")
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=arguments["namespace"],
            arguments=["-d", layout, "-f", f"{prefix}{values['odom_frame']}"],
            parameters=[{"use_sim_time": typed(values["use_sim_time"])}],
        )
    ]


def dashboard(arguments: dict[str, str]) -> list[Action]:
    """Return the dashboard. It is not restarted: it waits for the driver by itself."""
    if arguments["dashboard"] != "true":
        return []
    command = ["amigobot", "dashboard", "--ros", "--namespace", arguments["namespace"]]
    return [ExecuteProcess(cmd=[*command, "--listen", arguments["dashboard_listen"]], name="dashboard", output="both")]


def profile_name(values: dict[str, Any]) -> str:
    """Return the profile that the parameters name, or its file; "" if they name none."""
    simulated = urlsplit(values["port"]).netloc if is_simulated(values) else ""
    return str(values["param_file"] or values["robot"] or simulated)


def typed(value: Any) -> ParameterValue:
    """Return a value with its type: launch would read a text that looks like a number as a number."""
    return ParameterValue(value, value_type=type(value))


def is_simulated(values: dict[str, Any]) -> bool:
    """Return whether the driver simulates the robot in its own process."""
    return str(values["port"]).startswith("sim:")
