# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the launch files have in common: declared arguments, options of all nodes of a robot, and the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from launch import Action, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node, SetRemap

from ..resources import share

#: A launch argument: name, default (None: it must be given), allowed values (None: any text), description.
Argument = tuple[str, str | None, tuple[str, ...] | None, str]
SWITCH = ("true", "false")
_RESPAWN_DELAY = 2.0  #: s before a process restarts, with use_respawn; the same as in the launch files of Nav2
#: Remappings of all nodes of a robot, with namespaced_tf.
_TF = (("/tf", "tf"), ("/tf_static", "tf_static"))


def describe(arguments: Iterable[Argument], start: Callable[[dict[str, str]], list[Action]]) -> LaunchDescription:
    """Return a launch description.

    Args:
        arguments: The declared arguments.
        start: Returns the actions for the values of the arguments.
    """
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, choices=choices, description=text)
                for name, default, choices, text in arguments
            ),
            OpaqueFunction(function=lambda context: start(context.launch_configurations)),
        ]
    )


def node_options(arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of each node of a robot: its namespace, and whether it is restarted."""
    respawn = arguments["use_respawn"] == "true"
    return {"namespace": arguments["namespace"], "respawn": respawn, "respawn_delay": _RESPAWN_DELAY}


def in_tf_tree(arguments: Mapping[str, str], actions: list[Action]) -> list[Action]:
    """Return the actions with /tf and /tf_static in the namespace of the robot, if namespaced_tf says so."""
    if arguments["namespaced_tf"] != "true":
        return actions
    return [GroupAction([*(SetRemap(src=src, dst=dst) for src, dst in _TF), *actions])]


def include(file: Any, arguments: Mapping[str, str]) -> Action:
    """Return the inclusion of a launch file, which inherits the arguments that are not given here."""
    return IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=arguments.items())


def driver(arguments: Mapping[str, str]) -> Action:
    """Return the inclusion of amigobot.launch.py."""
    return include(str(share("launch", "amigobot.launch.py")), arguments)


def static_tf(name: str, frames: tuple[str, str], pose: tuple[float, float, float], **options: Any) -> Action:
    """Return a node that publishes a transform on /tf_static.

    Args:
        name: Name of the node.
        frames: The frame and its child.
        pose: x and y of the child in m, and its yaw in rad.
        options: More options of the node.
    """
    words = {"x": pose[0], "y": pose[1], "yaw": pose[2], "frame-id": frames[0], "child-frame-id": frames[1]}
    return Node(
        package="tf2_ros",
        executable="static_transform_publisher",
        name=name,
        arguments=[word for key, value in words.items() for word in (f"--{key}", str(value))],
        **options,
    )
