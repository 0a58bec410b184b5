# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The last ten minutes of every numeric value, for the plots: also of the time before a page was opened."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: s between two points, and s that are kept.
STEP, KEPT = 0.2, 600.0
#: Values that are kept; the robot with the most sonars has about 120.
_MAX_RINGS = 400
_POINTS = round(KEPT / STEP)


class History:
    """The newest points of named values. Times are in s; NaN stands for a value that was not known.

    Every value has a ring of the same length, so the memory does not grow: 24 kB for each of the names.
    """

    def __init__(self) -> None:
        self._times = array("d", [-math.inf]) * _POINTS
        self._rings: dict[str, array[float]] = {}
        self._count = 0  #: of all points so far

    @property
    def names(self) -> list[str]:
        """Names of the values, sorted."""
        return sorted(self._rings)

    def add(self, now: float, values: object) -> None:
        """Append a point, unless the last one is younger than about `STEP`."""
        now = round(now, 2)  # as a page gets it, so that it can say which points it has
        newest = self._times[(self._count - 1) % _POINTS]
        if now - newest < 0.9 * STEP:  # a loop may be early
            return
        at = self._count % _POINTS
        self._times[at] = now
        self._count += 1
        for ring in self._rings.values():
            ring[at] = math.nan
        for name, value in flat(values):
            if name not in self._rings:
                if len(self._rings) >= _MAX_RINGS:
                    continue
                self._rings[name] = array("d", [math.nan]) * _POINTS
            self._rings[name][at] = value

    def after(self, time: float, names: Sequence[str]) -> dict[str, Any]:
        """Return the points of some values after a time: `times`, and in `values` one list for each name."""
        places = [at for at in self._places() if self._times[at] > time]
        rings = [self._rings.get(name) for name in names]
        return {
            "times": [self._times[at] for at in places],
            "values": [[_rounded(ring[at]) if ring else None for at in places] for ring in rings],
        }

    def _places(self) -> Iterator[int]:
        """Places in the rings, from the oldest point to the newest."""
        return (number % _POINTS for number in range(max(0, self._count - _POINTS), self._count))


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


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
