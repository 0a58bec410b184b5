# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The checks. Importing this package fills the table `CHECKS`, in the order of the imports below."""

# isort: off
from . import serial_port, network, line, robot, configuration, battery, sonars, drive, gyro, link

__all__ = ["battery", "configuration", "drive", "gyro", "line", "link", "network", "robot", "serial_port", "sonars"]
