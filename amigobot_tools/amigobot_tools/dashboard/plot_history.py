# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The last ten minutes of every numeric value, for the plots: also of the time before a page was opened.

The page draws the plots itself: rosdep has no JavaScript library for them, and the page must work offline.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

STEP = 0.2  # s between two points
KEPT = 600.0  # s that are kept


class PlotHistory:
    """The newest points of named values. Times are in s; NaN stands for a value that was not known."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, array[float]]] = deque(maxlen=round(KEPT / STEP))
        self._columns: dict[str, int] = {}  #: place of each value in a point

    @property
    def names(self) -> list[str]:
        """Names of the values, sorted."""
        return sorted(self._columns)

    def add(self, now: float, values: object) -> None:
        """Append a point, unless the last one is younger than about `STEP`."""
        now = round(now, 2)  # as a page gets it, so that it can say which points it has
        if self._points and now - self._points[-1][0] < 0.9 * STEP:  # a loop may be early
            return
        known = dict(flat(values))
        for name in known:
            self._columns.setdefault(name, len(self._columns))
        self._points.append((now, array("d", [known.get(name, math.nan) for name in self._columns])))

    def after(self, time: float, names: Sequence[str]) -> dict[str, Any]:
        """Return the points of some values after a time: `times`, and in `values` one list for each name."""
        points = [(then, values) for then, values in self._points if then > time]
        columns = [self._columns.get(name, len(self._columns)) for name in names]
        return {
            "times": [then for then, _ in points],
            "values": [[_value(values, column) for _, values in points] for column in columns],
        }


def flat(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number in a value with its path. True counts as 1; figures of the link are texts with a unit."""
    if isinstance(value, bool | int | float):
        yield path, float(value)
    elif isinstance(value, str):
        number = value.partition(" ")[0]
        if path.startswith("link.") and number.replace(".", "", 1).isdecimal():
            yield path, float(number)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from flat(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from flat(item, f"{path}.{index}")


def _value(values: array[float], column: int) -> float | None:
    known = column < len(values) and math.isfinite(values[column])
    return round(values[column], 4) if known else None
