# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a step finds: quantities with a unit and an uncertainty, and facts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

Value = float | str | None

#: share of a quantity below which a difference does not matter
TOLERANCE = 0.03


@dataclass(frozen=True, slots=True)
class Figure:
    """One finding.

    A number is a quantity, a text a fact; None was asked for and not found.
    """

    key: str  #: "motor.top_speed"
    step: str  #: name of the step
    title: str
    value: Value
    unit: str = ""
    uncertainty: float = 0.0  #: standard uncertainty, in the unit
    tolerance: float = 0.0  #: smallest difference that matters, in the unit; 0: 3 % of the expected value
    parameter: str = ""  #: key of the simulator that is proportional to the quantity: "physics.motor_time"
    compared: bool = True  #: whether it can be compared with the simulator


@dataclass(frozen=True, slots=True)
class LineFit:
    """y = slope x + offset, with standard uncertainties."""

    slope: float
    offset: float
    slope_error: float
    offset_error: float


def fit_line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None) -> LineFit | None:
    """Fit a straight line.

    Args:
        xs: Abscissas.
        ys: Ordinates.
        weights: Weights of the points, proportional to the inverse of their variance; None: all the same.

    Returns:
        The line; None for less than three points, or if they all have the same abscissa.
    """
    w = [1.0] * len(xs) if weights is None else list(weights)
    total = sum(w)
    if len(xs) < 3 or total <= 0:
        return None
    mx = sum(a * x for a, x in zip(w, xs, strict=True)) / total
    my = sum(a * y for a, y in zip(w, ys, strict=True)) / total
    sxx = sum(a * (x - mx) ** 2 for a, x in zip(w, xs, strict=True))
    if sxx <= 0:
        return None
    slope = sum(a * (x - mx) * (y - my) for a, x, y in zip(w, xs, ys, strict=True)) / sxx
    offset = my - slope * mx
    rest = sum(a * (y - offset - slope * x) ** 2 for a, x, y in zip(w, xs, ys, strict=True)) / (len(xs) - 2)
    error = math.sqrt(rest / sxx)
    return LineFit(slope, offset, error, math.sqrt(rest / total + (error * mx) ** 2))


def mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard uncertainty from the scatter; NaN without values."""
    if not values:
        return math.nan, math.nan
    if len(values) == 1:
        return values[0], 0.0
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))


def standard_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return the standard deviation of values and the uncertainty of it; NaN for less than two."""
    if len(values) < 2:
        return math.nan, math.nan
    deviation = statistics.stdev(values)
    return deviation, deviation / math.sqrt(2 * (len(values) - 1))
