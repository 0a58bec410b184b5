# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver and its robot's description: without arguments, a simulated AmigoBot."""

from __future__ import annotations

import os
import tempfile
from typing import Any
from urllib.parse import urlsplit

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, GroupAction, LogInfo, OpaqueFunction
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.profiles.description import robot_description
from amigobot_driver.profiles.layouts import rviz_layout
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_support import (
    ARGUMENTS,
    RESPAWN_DELAY,
    TF_REMAPPINGS,
    effective_parameters,
    given_parameters,
)
from amigobot_driver.ros.node_parameters import Spec

#: Where nothing names a real robot, which is asked only later.
UNKNOWN_ROBOT = (
    "the model is that of an AmigoBot; name the profile of another robot: robot:=NAME for amigobot.launch.py, "
    "robot: NAME in a fleet file"
)


_SWITCH = ("true", "false")
#: Launch arguments besides the parameters of the node: name, default, choices, description.
_ARGUMENTS = (
    ("params_file", str(share("config", "amigobot.yaml")), None, "parameter file of the node; arguments override it"),
    ("namespace", "", None, "namespace of all topics, services and nodes of the robot"),
    ("namespaced_tf", "false", _SWITCH, "/tf and /tf_static are tf and tf_static in the namespace, as in Nav2"),
    ("description", "true", _SWITCH, "start robot_state_publisher with the model of this robot"),
    ("rviz", "auto", ("auto", *_SWITCH), "start RViz; auto: for a simulated robot, if there are a screen and RViz"),
    ("dashboard", "false", _SWITCH, "serve the dashboard for a browser; needs the package amigobot_tools"),
    ("dashboard_listen", "127.0.0.1:8140", None, "address of the dashboard; beyond loopback it needs a token"),
    ("log_level", "info", ("debug", "info", "warn", "error"), "log level of the driver"),
    ("use_respawn", "false", _SWITCH, "restart the driver and robot_state_publisher 2 s after they end for any reason"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the robot."""
    return LaunchDescription(
        [
            *map(parameter_argument, ARGUMENTS),
            *(
                DeclareLaunchArgument(name, default_value=default, choices=choices, description=text)
                for name, default, choices, text in _ARGUMENTS
            ),
            OpaqueFunction(function=start),
        ]
    )


def parameter_argument(spec: Spec) -> DeclareLaunchArgument:
    """Return the launch argument of a parameter of the node."""
    default = "empty" if spec.default == "" else spec.default
    if isinstance(default, bool):
        default = str(default).lower()
    text = f"{spec.description}. Default: the value in params_file, else {default}"
    return DeclareLaunchArgument(spec.name, default_value="", description=text)


def start(context: LaunchContext) -> list[Action]:
    """Return the driver and the processes around it."""
    arguments = context.launch_configurations
    namespace = arguments["namespace"]
    values, given = effective_parameters(arguments), given_parameters(arguments)
    logger = f"{namespace}/amigobot".strip("/").replace("/", ".")
    respawn = {"respawn": arguments["use_respawn"] == "true", "respawn_delay": RESPAWN_DELAY}
    driver = Node(
        package="amigobot_driver",
        executable="amigobot_node",
        name="amigobot",
        namespace=namespace,
        parameters=[arguments["params_file"], {name: exactly(value) for name, value in given.items()}],
        arguments=["--ros-args", "--log-level", f"{logger}:={arguments['log_level']}"],
        output="both",
        emulate_tty=True,
        **respawn,
    )
    model = description(values, namespace, respawn) if arguments["description"] == "true" else []
    # The driver starts last: if another required package is missing, launch ends and would leave the driver running.
    actions = [*model, driver, *view(arguments["rviz"], values, namespace), *dashboard(arguments)]
    if arguments["namespaced_tf"] == "true":
        return [GroupAction([*(SetRemap(src=src, dst=dst) for src, dst in TF_REMAPPINGS), *actions])]
    return actions


def description(values: dict[str, Any], namespace: str, respawn: dict[str, Any]) -> list[Action]:
    """robot_state_publisher, for the same robot: a real one must be named, as it is asked only later."""
    urdf = robot_description(profile_of(values), values["base_frame"])
    publisher = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=namespace,
        parameters=[
            {
                "robot_description": exactly(urdf),
                "frame_prefix": exactly(values["frame_prefix"]),
                "use_sim_time": exactly(values["use_sim_time"]),
            }
        ],
        **respawn,
    )
    if model_name(values) or is_simulated(values):
        return [publisher]
    return [LogInfo(msg=f"{namespace or 'amigobot'}: {UNKNOWN_ROBOT}"), publisher]


def view(wanted: str, values: dict[str, Any], namespace: str) -> list[Action]:
    """RViz in the robot's namespace: the topics in its file are relative."""
    has_screen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if wanted == "false" or (wanted == "auto" and not (has_screen and is_simulated(values))):
        return []
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        distro = os.environ.get("ROS_DISTRO", "$ROS_DISTRO")
        return [LogInfo(msg=f"no RViz here: sudo apt install ros-{distro}-rviz2")]
    prefix = values["frame_prefix"]
    layout = rviz_layout(profile_of(values), prefix)
    with tempfile.NamedTemporaryFile("w", suffix=".rviz", delete=False, encoding="utf-8") as file:
        file.write(layout)
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=namespace,
            arguments=["-d", file.name, "-f", f"{prefix}{values['odom_frame']}"],
            parameters=[{"use_sim_time": exactly(values["use_sim_time"])}],
        )
    ]


def model_name(values: dict[str, Any]) -> str:
    """What is known of the robot before it is asked: a profile or file; empty: nothing."""
    simulated = urlsplit(values["port"]).netloc if is_simulated(values) else ""
    return str(values["param_file"] or values["robot"] or simulated)


def profile_of(values: dict[str, Any]) -> Profile:
    """The profile for model and view."""
    return load_profile(model_name(values) or "amigo")


def dashboard(arguments: dict[str, str]) -> list[Action]:
    """The page for a browser. Not restarted: it waits for the driver by itself."""
    if arguments["dashboard"] != "true":
        return []
    command = ["amigobot", "dashboard", "--ros", "--namespace", arguments["namespace"]]
    return [ExecuteProcess(cmd=[*command, "--listen", arguments["dashboard_listen"]], name="dashboard", output="both")]


def exactly(value: Any) -> ParameterValue:
    """Keeps launch from reading a text that looks like a number as a number."""
    return ParameterValue(value, value_type=type(value))


def is_simulated(values: dict[str, Any]) -> bool:
    """Return whether the driver simulates the robot in its own process."""
    return str(values["port"]).startswith("sim:")
