# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver core under random orders of calls, faults and people, for as long as there is time.

`python -m tools.soak.sequences --seconds 3600 --seed 1` runs this alone, goes on after a failure, and prints each
failure as a script.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from state_machine.failure import Failure
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


class Exploration:
    """Runs sequences for a time, and says how far it has come."""

    def __init__(self, seed: int) -> None:
        self.statistics = Statistics()
        self.wall = 0.0  #: s that it took
        self._seed = seed
        self._batch = 0

    def run(self, seconds: float, show: Callable[[int, Failure], None], *, at_first_failure: bool = False) -> None:
        """Run for so many seconds, in batches; the first one is complete in any case.

        Args:
            seconds: Time that may be spent.
            show: Is called with the number of each failure, from 1, and the failure.
            at_first_failure: End when something fails.
        """
        statistics = self.statistics
        started = told = time.monotonic()
        reported = 0

        def enough() -> bool:
            return at_first_failure and bool(statistics.failures)

        while not enough() and time.monotonic() - started < seconds:
            explore(_BATCH, self._seed * 10_000 + self._batch, statistics, enough=enough)
            self._batch += 1
            self.wall = time.monotonic() - started
            for failure in statistics.failures[reported:]:
                reported += 1
                show(reported, failure)
            if time.monotonic() - told > _PROGRESS:
                told = time.monotonic()
                print(f"         {self.wall:5.0f} s: {self}", flush=True)

    def __str__(self) -> str:
        statistics = self.statistics
        return (
            f"{statistics.sequences} sequences, {statistics.steps} steps, {statistics.seconds / 3600:.1f} h simulated, "
            f"{len(statistics.failures)} failures"
        )

    @property
    def idle(self) -> list[str]:
        """The checks that never had anything to compare, although there were many sequences."""
        many = self.statistics.sequences >= _MANY
        return [name for name, count in self.statistics.looked.items() if not count and many]

    def table(self) -> str:
        """Each check with how often it compared something, and how often it failed."""
        failed = Counter(failure.kind for failure in self.statistics.failures)
        looked = self.statistics.looked
        rows = [(name, looked.get(name, 0), failed.get(name, 0)) for name in sorted(looked.keys() | failed.keys())]
        width = max((len(name) for name, *_ in rows), default=0)
        header = f"{'check':{width}}  {'compared':>10}  {'failed':>6}"
        return "\n".join([header, *(f"{name:{width}}  {count:10}  {fails:6}" for name, count, fails in rows)])


def sequences(share: Share) -> Iterator[Figure]:
    """Random sequences of calls, faults and people, with the simulator's truth as the judge."""
    exploration = Exploration(share.seed)
    exploration.run(
        max(10.0, _LENGTH * share.size),
        lambda number, failure: print(f"\n{shorten(DriverMachine, failure).script()}\n", flush=True),
        at_first_failure=True,
    )
    failures, idle = exploration.statistics.failures, exploration.idle
    yield Figure(
        "random sequences of calls, faults and people on every robot",
        "no invariant is violated, and each had something to compare",
        f"{exploration}, {len(idle)} checks idle {' '.join(idle)}".rstrip(),
        not failures and not idle,
    )


def main() -> int:
    """0: no sequence failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak.sequences", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long it takes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sequences (%(default)s)")
    parser.add_argument("--shorten", type=int, default=3, help="failures of each check to make shorter (%(default)s)")
    parser.add_argument("--scripts", type=Path, help="folder for the failures as programs; without it they are printed")
    args = parser.parse_args()
    exploration = Exploration(args.seed)
    exploration.run(args.seconds, lambda number, failure: _show(failure, args.scripts, f"{args.seed}_{number:02}"))
    failures = exploration.statistics.failures
    print(f"\nseed {args.seed}, {exploration.wall:.0f} s: {exploration}\n\n{exploration.table()}", flush=True)
    shortened: Counter[str] = Counter()
    for number, failure in enumerate(failures, 1):
        shortened[failure.kind] += 1
        if shortened[failure.kind] <= args.shorten:
            _show(shorten(DriverMachine, failure), args.scripts, f"{args.seed}_{number:02}_short")
    return 1 if failures else 0


def _show(failure: Failure, folder: Path | None, name: str) -> None:
    if folder is None:
        print(f"\n{failure.script()}\n", flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}_{failure.kind}.py"
    file.write_text(failure.script() + "\n")
    print(f"         {file}: {failure.message}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
