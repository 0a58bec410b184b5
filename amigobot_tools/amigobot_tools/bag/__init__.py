# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Bags where no rosbag2 is installed: record what runs on the graph, and read it back.

    python -m amigobot_tools.bag record OUT [TOPIC...]
    python -m amigobot_tools.bag info BAG

A bag is a sqlite3 file beside a metadata.yaml, for `ros2 bag info` and `ros2 bag play`. It is written once a second. If
the recorder is killed, `ros2 bag reindex` writes the metadata. Reading needs no ROS at all, recording needs rclpy.
"""
