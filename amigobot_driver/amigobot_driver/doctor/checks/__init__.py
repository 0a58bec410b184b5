# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The checks. Importing this package fills the table `CHECKS`, in the order of the imports below."""

# isort: off
from . import serial_port, network, line, robot, link, configuration, battery, drive, motion, sonars, gyro, end

__all__ = [
    "battery",
    "configuration",
    "drive",
    "end",
    "gyro",
    "line",
    "link",
    "motion",
    "network",
    "robot",
    "serial_port",
    "sonars",
]
