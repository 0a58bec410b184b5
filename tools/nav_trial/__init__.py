# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sends a simulated robot to many random goals with the real Nav2, and measures success, touches and clearance.

    python -m tools.nav_trial --goals 50 --seed 1 --robot p3at --speed 2 --output /tmp/trial

It needs a ROS 2 installation with Nav2 (Jazzy) and this workspace, both sourced. The node, Nav2 and the launch file are
the real ones. The driver's two threads are replaced by one that runs driver and simulator on one simulated clock, which
is published on /clock and waits for a controller that is late: the result hardly depends on how busy the machine is.
What Nav2 counts on the wall clock is scaled by --speed.

In the folder of the output: trial.json, trial.png with the paths, a picture of the costmaps for each recovery
(GOAL-NUMBER.png), truth.jsonl with the true poses, the logs, and the parameters and the behavior tree as used.
"""
