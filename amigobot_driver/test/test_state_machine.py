"""The driver core under any order of calls, faults and people: every invariant holds (see state_machine/).

A short run with fixed seeds; `make soak` has the long one. A failure is printed as a script that runs by itself.
"""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="the node's parameter table needs rclpy")

from state_machine.machine import DriverMachine, Statistics, explore
from state_machine.reproduction import shorten

#: Each of these runs has so many sequences.
SEQUENCES = 12


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(1, 7))
def test_every_invariant_holds_in_any_order_of_calls(seed: int) -> None:
    statistics = Statistics()
    explore(SEQUENCES, seed, statistics, enough=lambda: bool(statistics.failures))
    if statistics.failures:
        pytest.fail(shorten(DriverMachine, statistics.failures[0]).script(), pytrace=False)
    assert statistics.sequences >= SEQUENCES
    assert statistics.steps > 5 * SEQUENCES
