# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A state-machine property test of the driver core against the simulator's ground truth.

values.py        what a caller may pass, with the values at the edges of the tables
witness.py       records what the simulated robot really does, tick by tick
allowance.py     which motion the caller's commands allow
setup.py         with which robot, line and options a sequence begins
observed.py      driver core and simulated robot on one clock, and what happens to them
*_calls.py       what can be done to them, by subject; requests.py: how what the robot confirms is asked for
disturbances.py  what people and the line do to them
records.py       what was asked and seen
world.py         all of these together
check.py         what a check is; sensor_checks.py: those of flags, battery, encoders, gyro, diagnostics
oracle.py        the other invariants, each a small named check, and all of them together
rules_*.py       what can happen, by subsystem
tampering.py     what breaks the rule of a check: shows that the checks can fail
machine.py       the Hypothesis state machine: all rules and all checks together
"""
