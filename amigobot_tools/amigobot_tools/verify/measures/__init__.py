# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What each step makes of the packets that came back, one module for each part of the robot.

Each function gets the trial and what came back for the script of its step, and keeps figures.
"""
