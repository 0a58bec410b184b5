"""The driver core under any order of calls, faults and people: every invariant holds (see state_machine/).

A short run with fixed seeds; `make soak` has the long one. A failure is printed as a script that runs by itself.
"""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="the node's parameter table needs rclpy")

from state_machine.failure import Step
from state_machine.machine import DriverMachine, Statistics, explore
from state_machine.reproduction import run, shorten
from state_machine.setup import Setup

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


#: What was found once and no smaller test shows.
FOUND: dict[str, tuple[Step, ...]] = {
    "a motion soon after OPEN, which zeroes the counters": (
        (
            "begin",
            {
                "setup": Setup(profile="erratic", asked=True, paced=False, layout="player", sonar_on_connect=False),
                "connected": 0.0,
            },
        ),
        ("save_config", {}),
        ("freeze", {"seconds": 0.3, "writer_first": True, "pause": 0.0}),
        ("drive_on", {"linear": -1.0, "angular": -0.333, "duration": 1.0}),
    ),
    "the turn rate behind a long answer while the robot slows down": (
        ("begin", {"setup": Setup(profile="amigo-sh", moving_bit=False, fast_limits=False), "connected": None}),
        ("drive", {"linear": 0.0, "angular": 1.0, "pause": 0.5}),
        ("say", {"tones": b"\x05\x10", "pause": 2.1}),
        ("read_config", {"pause": 0.8}),
        ("read_config", {"pause": 0.5}),
        ("read_config", {"pause": 0.1}),
        ("move", {"distance": 0.336, "pause": 0.013}),
        ("say", {"tones": b"\x05\x10", "pause": 0.0}),
        ("charger", {"out": True, "pause": 0.5}),
        ("drive", {"linear": 0.0, "angular": 0.25, "pause": 0.31}),
        ("say", {"tones": bytes(40), "pause": 0.31}),
        ("drive", {"linear": 0.251, "angular": 0.953, "pause": 0.25}),
        ("charger", {"out": True, "pause": 0.8}),
        ("drive", {"linear": 0.017, "angular": -0.747, "pause": 0.8}),
        ("say", {"tones": b"", "pause": 0.05}),
        ("read_config", {"pause": 0.8}),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_sequence_that_failed_once(name: str) -> None:
    failure = run(DriverMachine, FOUND[name])
    if failure:
        pytest.fail(failure.script(), pytrace=False)
