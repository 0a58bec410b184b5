"""A state-machine property test of the driver core against the simulator's ground truth.

values.py        what a caller may pass, with the values at the edges of the tables
witness.py       records what the simulated robot really does, tick by tick
allowance.py     which motion the caller's commands allow
world.py         the system under test: driver core and simulated robot on one clock; the only access to both
oracle.py        the invariants, each a small named check
rules_*.py       what can happen, by subsystem
machine.py       the Hypothesis state machine: all rules and all checks together
"""
