"""All topics of the node, for programs such as the recorder. A test compares this table with running nodes.

`{number}` stands for the number of a sonar, a floor sensor or an auxiliary port. Names are relative to the robot's
namespace.
"""

from __future__ import annotations

import re

#: Published by the node. A topic of a device that the robot lacks is silent or missing.
PUBLISHED = (
    *("odom", "joint_states", "status", "robot_config", "battery_state", "io", "packets"),
    *("sonar/range_{number}", "sonar/cloud", "sonar/scan"),
    *("imu", "encoders", "motor_currents", "floor/range_{number}", "aux{number}/rx"),
    *("bumpers", "compass", "gripper_state", "joy"),
)
#: Subscribed by the node.
SUBSCRIBED = ("cmd_vel", "cmd_wheels", "cmd_heading", "servo_commands", "aux{number}/tx")


def pattern(name: str) -> str:
    """Return a topic of the tables as a regular expression."""
    return re.escape(name).replace(r"\{number\}", r"\d+")
