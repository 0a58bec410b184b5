# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What was found against what the simulator shows under the same commands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .figures import TOLERANCE, Figure, Value

AS_SIMULATED, DIFFERS, UNKNOWN = "as simulated", "differs", "unknown"
#: standard uncertainties that a difference may have by chance
_SIGMA = 3.0
#: share of a quantity that must be noticed: with a larger uncertainty the verdict is "unknown"
_NOTICED = 0.1


@dataclass(frozen=True, slots=True)
class Compared:
    """A finding and what the simulator shows instead."""

    figure: Figure
    expected: Value  #: None: nothing to compare with
    expected_uncertainty: float
    verdict: str  #: "as simulated", "differs" or "unknown"


def compare(found: Iterable[Figure], expected: Mapping[str, Figure]) -> list[Compared]:
    """Compare each finding with the simulator's.

    Args:
        found: Findings at the robot.
        expected: Findings at the simulator, by key.

    Returns:
        The comparisons, in the order of the findings.
    """
    compared = []
    for figure in found:
        other = expected.get(figure.key)
        value = other.value if other is not None and figure.compared else None
        error = other.uncertainty if other is not None and figure.compared else 0.0
        compared.append(Compared(figure, value, error, verdict(figure, value, error)))
    return compared


def verdict(figure: Figure, expected: Value, error: float) -> str:
    """Judge one finding.

    Args:
        figure: What was found.
        expected: What the simulator shows; None: nothing.
        error: Standard uncertainty of that.
    """
    if not figure.compared or figure.value is None or expected is None:
        return UNKNOWN
    if not isinstance(figure.value, float) or not isinstance(expected, float):
        return AS_SIMULATED if figure.value == expected else DIFFERS
    allowed = figure.tolerance or TOLERANCE * abs(expected)
    chance = _SIGMA * math.hypot(figure.uncertainty, error)
    if abs(figure.value - expected) > max(allowed, chance):
        return DIFFERS
    return AS_SIMULATED if chance <= max(allowed, _NOTICED * abs(expected)) else UNKNOWN


def is_significant(compared: Compared) -> bool:
    """Return whether a quantity differs by more than chance, be it within the tolerance or not."""
    value, expected = compared.figure.value, compared.expected
    if not isinstance(value, float) or not isinstance(expected, float):
        return False
    return abs(value - expected) > _SIGMA * math.hypot(compared.figure.uncertainty, compared.expected_uncertainty)
