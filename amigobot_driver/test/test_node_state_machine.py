# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node under any order of calls, faults and people, over real DDS: every invariant holds (see node_machine/).

A short run with a fixed seed; `make soak` has the long one. A failure is printed as a script that runs by itself.
"""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="the node needs rclpy")

from node_machine.machine import NAME, NodeMachine
from state_machine.machine import Statistics, explore

#: Steps of each sequence here: starting and ending the processes takes as long.
STEPS = 6


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.soak), 2])
def test_every_invariant_holds_in_any_order_of_calls_to_the_node(seed: int) -> None:
    statistics = Statistics()
    explore(1, seed, statistics, machine=NodeMachine, steps=STEPS, skip_first=True)
    if statistics.failures:
        pytest.fail(statistics.failures[0].script(NAME), pytrace=False)
    assert statistics.steps > STEPS / 2
    assert statistics.looked["MovesOnlyAsAllowed"]
