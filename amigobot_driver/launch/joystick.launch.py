# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A gamepad that drives, and twist_mux, which lets it win over every other program: beside a running driver."""

from __future__ import annotations

from launch import Action, LaunchDescription
from launch_ros.actions import Node

from amigobot_driver.parameter_table import TABLE
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_support import SWITCH, describe, node_options

#: Launch arguments: name, default, choices, description.
_ARGUMENTS = (
    ("namespace", "", None, "namespace of the robot"),
    ("joystick_file", str(share("config", "joystick.yaml")), None, "parameters of joy, teleop_twist_joy and twist_mux"),
    ("enable_stamped_cmd_vel", "", ("", *SWITCH), "velocities are TwistStamped. Default: as those of the driver"),
    ("use_respawn", "false", SWITCH, "restart each node 2 s after it ends"),
)
#: The driver publishes the joystick of a Pioneer on joy.
_GAMEPAD = ("joy", "joy_teleop/joy")
#: Package, executable, its parameter for TwistStamped, its remappings.
_NODES = (
    ("joy", "joy_node", None, (_GAMEPAD,)),
    ("teleop_twist_joy", "teleop_node", "publish_stamped_twist", (_GAMEPAD, ("cmd_vel", "joy_vel"))),
    ("twist_mux", "twist_mux", "use_stamped", (("cmd_vel_out", "cmd_vel"),)),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the nodes."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the three nodes."""
    default = next(spec.default for spec in TABLE if spec.name == "enable_stamped_cmd_vel")
    stamped = (arguments["enable_stamped_cmd_vel"] or str(default).lower()) == "true"
    return [
        Node(
            package=package,
            executable=executable,
            name=package,
            parameters=[arguments["joystick_file"], *([{parameter: stamped}] if parameter else [])],
            remappings=remappings,
            **node_options(arguments),
        )
        for package, executable, parameter, remappings in _NODES
    ]
