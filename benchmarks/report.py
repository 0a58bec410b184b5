# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rows of the result: on the terminal, and in results/latest.json."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

RESULTS = Path(__file__).with_name("results") / "latest.json"
_WIDTH = 66  # characters of a name
HEAD = f"{'':{_WIDTH}} {'driver':>13} {'floor':>13} {'ratio':>7} {'spread':>7} {'goal':>8}"


def _load() -> float:
    """Return the load of the computer: programs that ran or waited for a core, mean of the last minute."""
    return round(os.getloadavg()[0], 2)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of the driver beside that of the floor. `spread` is half the range of the ratios of the rounds."""

    name: str
    value: float
    floor: float
    unit: str
    ratio: float
    spread: float
    goal: float  #: the ratio to reach
    met: bool
    at_least: bool = False  #: the ratio must not be below the goal, instead of not above it
    load: float = field(default_factory=_load)  #: of the computer, the benchmark included

    def __str__(self) -> str:
        return (
            f"{self.name:{_WIDTH}} {self.value:9.2f} {self.unit:3} {self.floor:9.2f} {self.unit:3} {self.ratio:7.2f} "
            f"{self.spread:7.2f} {'>=' if self.at_least else '<='} {self.goal:.2f} {'met' if self.met else 'NOT MET'}"
        )


def row(
    name: str, unit: str, goal: float, values: Sequence[float], floors: Sequence[float], *, at_least: bool = False
) -> Row:
    """Compare rounds that alternated: the median of the ratios of each pair.

    Args:
        name: What was measured.
        unit: Unit of the figures.
        goal: The ratio to reach.
        values: The driver's figure in each round.
        floors: The floor's figure in each round.
        at_least: The ratio must be the goal at least, not at most.
    """
    ratios = [value / floor for value, floor in zip(values, floors, strict=True)]
    ratio = statistics.median(ratios)
    return Row(
        name=name,
        value=statistics.median(values),
        floor=statistics.median(floors),
        unit=unit,
        ratio=ratio,
        spread=(max(ratios) - min(ratios)) / 2,
        goal=goal,
        met=ratio >= goal if at_least else ratio <= goal,
        at_least=at_least,
    )


def write(rows: Iterable[Row]) -> None:
    """Write the rows to results/latest.json."""
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(each) for each in rows], indent=2) + "\n", encoding="utf-8")


def read() -> list[Row]:
    """Return the rows of the last run; none if there is no file."""
    return [Row(**values) for values in json.loads(RESULTS.read_text("utf-8"))] if RESULTS.exists() else []
