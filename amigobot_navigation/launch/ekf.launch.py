# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver with robot_localization: wheels and gyro fused into odom -> base_link."""

from __future__ import annotations

from pathlib import Path

from launch import Action, LaunchDescription
from launch_ros.actions import Node

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import ARGUMENTS, effective_parameters, robot_frames
from amigobot_driver.ros.launch_support import SWITCH, describe, driver, in_tf_tree, node_options
from amigobot_navigation.names import fitted_file

HERE = Path(__file__).resolve().parents[1]
_EKF_YAML = str(HERE / "config" / "ekf.yaml")
#: Arguments of amigobot.launch.py, which inherits them, and of the filter.
_ARGUMENTS = (
    ("port", "sim://amigo-sh", None, "port of the robot; the AmigoBot-SH has a gyro"),
    *(argument for argument in ARGUMENTS if argument[0] not in ("port", "publish_tf")),
    ("params_file", str(share("config", "amigobot.yaml")), None, "parameters of the driver; arguments override it"),
    ("namespace", "", None, "namespace of the robot and of the filter"),
    ("use_description", "true", SWITCH, "start robot_state_publisher with the model of this robot"),
    ("namespaced_tf", "false", SWITCH, "/tf and /tf_static are tf and tf_static in the namespace of the robot"),
    ("use_respawn", "false", SWITCH, "restart the driver and the filter 2 s after they end for any reason"),
    ("ekf_file", _EKF_YAML, None, "parameters of robot_localization; odom and base_link are replaced"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start driver and filter."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the filter and the driver."""
    values = effective_parameters(arguments)
    file = fitted_file(Path(arguments["ekf_file"]), arguments["namespace"], robot_frames(values))
    ekf_filter = Node(
        package="robot_localization",
        executable="ekf_node",
        name="ekf_filter_node",
        parameters=[file, {"use_sim_time": values["use_sim_time"]}],
        output="screen",
        **node_options(arguments),
    )
    # The driver last: launch would end where robot_localization is missing, and leave the driver running.
    return [*in_tf_tree(arguments, [ekf_filter]), driver({"publish_tf": "false"})]
