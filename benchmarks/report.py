"""The rows of the result: on the terminal, and in results/latest.json."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).with_name("results") / "latest.json"
HEAD = f"{'':44} {'driver':>12} {'floor':>12} {'ratio':>7} {'spread':>7} {'goal':>7}"


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

    def __str__(self) -> str:
        return (
            f"{self.name:44} {self.value:9.2f} {self.unit:2} {self.floor:9.2f} {self.unit:2} {self.ratio:7.2f} "
            f"{self.spread:7.2f} {self.goal:7.2f} {'met' if self.met else 'NOT MET'}"
        )


def row(name: str, unit: str, goal: float, values: Sequence[float], floors: Sequence[float]) -> Row:
    """Compare rounds that alternated: the median of the ratios of each pair.

    Args:
        name: What was measured.
        unit: Unit of the figures.
        goal: The ratio to reach, at most.
        values: The driver's figure in each round.
        floors: The floor's figure in each round.
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
        met=ratio <= goal,
    )


def write(rows: Iterable[Row]) -> None:
    """Write the rows to results/latest.json."""
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(each) for each in rows], indent=2) + "\n", encoding="utf-8")
