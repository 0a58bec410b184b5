"""The driver with robot_localization: wheels and gyro fused into odom -> base_link."""

from __future__ import annotations

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from amigobot_driver.resources import share

HERE = Path(__file__).resolve().parents[1]


def generate_launch_description() -> LaunchDescription:
    driver = PythonLaunchDescriptionSource(str(share("launch", "amigobot.launch.py")))
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "port",
                default_value="sim://amigo-sh",
                description="where the robot is; of the family, the SH has a gyro",
            ),
            DeclareLaunchArgument(
                "ekf_file",
                default_value=str(HERE / "config" / "ekf.yaml"),
                description="parameters of robot_localization",
            ),
            Node(
                package="robot_localization",
                executable="ekf_node",
                name="ekf_filter_node",
                parameters=[LaunchConfiguration("ekf_file")],
                output="screen",
            ),
            IncludeLaunchDescription(
                driver, launch_arguments={"port": LaunchConfiguration("port"), "publish_tf": "false"}.items()
            ),
        ]
    )
