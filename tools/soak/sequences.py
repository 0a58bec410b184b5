"""The driver core under random orders of calls, faults and people, for as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from state_machine.machine import DriverMachine, Statistics, explore
from state_machine.reproduction import shorten

from .figure import Figure, Share

#: s at the full size.
_LENGTH = 1800.0
#: Sequences of one seed: then the next one chooses.
_BATCH = 25
#: Sequences in which each check must have had something to compare.
_MANY = 500
#: s between two lines that say how far it has come.
_PROGRESS = 30.0


def sequences(share: Share) -> Iterator[Figure]:
    """Random sequences of calls, faults and people, with the simulator's truth as the judge."""
    statistics = Statistics()
    started = told = time.monotonic()
    batch = 0
    while not statistics.failures and time.monotonic() - started < max(10.0, _LENGTH * share.size):
        explore(_BATCH, share.seed * 10_000 + batch, statistics, enough=lambda: bool(statistics.failures))
        batch += 1
        if time.monotonic() - told > _PROGRESS:
            told = time.monotonic()
            print(f"         {told - started:5.0f} s: {_text(statistics)}", flush=True)
    if statistics.failures:
        failure = shorten(DriverMachine, statistics.failures[0])
        print(f"\n{failure.script()}\n", flush=True)
    many = statistics.sequences >= _MANY
    idle = [name for name, count in statistics.looked.items() if not count and many]
    yield Figure(
        "random sequences of calls, faults and people on every robot",
        "no invariant is violated, and each had something to compare",
        f"{_text(statistics)}, {len(statistics.failures)} failures, {len(idle)} checks idle {' '.join(idle)}".rstrip(),
        not statistics.failures and not idle,
    )


def _text(statistics: Statistics) -> str:
    return f"{statistics.sequences} sequences, {statistics.steps} steps, {statistics.seconds:.0f} s simulated"
