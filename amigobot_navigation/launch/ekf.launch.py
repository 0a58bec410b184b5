# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver with robot_localization: wheels and gyro fused into odom -> base_link."""

from __future__ import annotations

from pathlib import Path

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_support import RESPAWN_DELAY, TF_REMAPPINGS, effective_parameters, robot_frames
from amigobot_navigation.names import fitted_file

HERE = Path(__file__).resolve().parents[1]
SWITCH = ["true", "false"]
#: Arguments of amigobot.launch.py, which become the driver's. The filter follows those that concern it too.
PASSED_ON = {
    "port": ("sim://amigo-sh", "port of the robot; the AmigoBot-SH has a gyro"),
    "robot": ("", "profile of the robot, such as amigo-sh; empty: that of params_file, else chosen by the driver"),
    "params_file": (str(share("config", "amigobot.yaml")), "parameters of the driver; launch arguments override it"),
    "namespace": ("", "namespace of the robot and of the filter"),
    "odom_frame": ("", "frame of the odometry; empty: the value in params_file, else odom"),
    "base_frame": ("", "frame of the robot; empty: the value in params_file, else base_link"),
    "frame_prefix": ("", "prefix of every frame name, such as alpha/; empty: the value in params_file, else none"),
    "use_sim_time": ("", "take the time from /clock; empty: the value in params_file, else false"),
    "publish_scan": ("", "also publish the sonars as a LaserScan, as Nav2 needs; empty: the value in params_file"),
    "enable_stamped_cmd_vel": ("", "cmd_vel is a TwistStamped, as Nav2 needs; empty: the value in params_file"),
}


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start driver and filter."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(name, default_value=default, description=text)
            for name, (default, text) in PASSED_ON.items()
        ]
        + [
            DeclareLaunchArgument(
                "ekf_file",
                default_value=str(HERE / "config" / "ekf.yaml"),
                description="parameters of robot_localization, with the frames odom and base_link: they are replaced",
            ),
            DeclareLaunchArgument(
                "description",
                default_value="true",
                choices=SWITCH,
                description="start robot_state_publisher with the model of this robot",
            ),
            DeclareLaunchArgument(
                "namespaced_tf",
                default_value="false",
                choices=SWITCH,
                description="/tf and /tf_static are tf and tf_static in the namespace of the robot",
            ),
            DeclareLaunchArgument(
                "use_respawn",
                default_value="false",
                choices=SWITCH,
                description="restart the driver and the filter 2 s after they end for any reason",
            ),
            OpaqueFunction(function=start),
        ]
    )


def start(context: LaunchContext) -> list[Action]:
    """Return the filter and the driver."""
    arguments = context.launch_configurations
    namespace = arguments["namespace"]
    values = effective_parameters(arguments)
    ekf_filter = Node(
        package="robot_localization",
        executable="ekf_node",
        name="ekf_filter_node",
        namespace=namespace,
        parameters=[
            fitted_file(Path(arguments["ekf_file"]), namespace, robot_frames(values)),
            {"use_sim_time": values["use_sim_time"]},
        ],
        output="screen",
        respawn=arguments["use_respawn"] == "true",
        respawn_delay=RESPAWN_DELAY,
        remappings=TF_REMAPPINGS if arguments["namespaced_tf"] == "true" else None,
    )
    passed = {name: arguments[name] for name in (*PASSED_ON, "description", "namespaced_tf", "use_respawn")}
    driver = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share("launch", "amigobot.launch.py"))),
        launch_arguments={**passed, "publish_tf": "false"}.items(),
    )
    # The driver last: launch would end where robot_localization is missing, and leave the driver running.
    return [ekf_filter, driver]
