# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Bags where no rosbag2 is installed: record what runs on the graph, and read it back.

    python -m amigobot_tools.bag record OUT [TOPIC...]
    python -m amigobot_tools.bag info BAG

What is written opens in `ros2 bag info` and `ros2 bag play`: an MCAP file beside a metadata.yaml. Reading needs no
ROS at all, recording needs rclpy.
"""
