# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state-machine property test through the node: another process, real DDS, real time.

The rules, the values and most of the checks are those of state_machine/, which runs the driver core on a simulated
clock. Here the world is another one:

remote_robot.py  the requests of the driver core, made through topics, services, actions and parameters
node_bench.py    the node, the simulated robot and its line, in the shape of the bench of the core
world.py         what a caller may expect of the node, with the time that a busy computer takes
oracle.py        the checks of the core that apply, and those of topics, log and process
machine.py       the Hypothesis state machine
"""
