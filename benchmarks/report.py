"""One line of the result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, ours and the floor's, and the ratio."""

    what: str
    ours: str
    floor: str
    ratio: float

    def __str__(self) -> str:
        return f"{self.what:44} {self.ours:>12} {self.floor:>12} {self.ratio:8.2f}"
