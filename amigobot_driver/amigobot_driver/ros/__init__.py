# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The ROS 2 side, the only package that imports rclpy: converts, publishes, and passes requests to the core."""
