# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What each step makes of the packets that came back, one module for each part of the robot.

A function that a figure names (`fact`) gets what came back for one list of the step, and returns the value. A function
that a step names (`measure`) gets the trial with all of it, and keeps the figures.
"""
