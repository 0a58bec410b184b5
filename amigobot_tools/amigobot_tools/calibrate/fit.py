# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Finds how a robot's wheels differ from its model, from drives that were measured.

The robot reports for each packet how far it went and how much it turned. Its wheels make that wrong in three ways: both
roll further or less (`scale`), one of them rolls further than the other (`unequal`), and the distance between them is
another one (`turn`). Least squares find the values with which the reported motions end where the robot was measured.
A square driven both ways tells the last two from each other, which is the idea of UMBmark (Borenstein and Feng, 1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from amigobot_driver.profiles import Calibration

#: Standard deviations of measurements by hand: rad, m.
_ANGLE, _LENGTH = math.radians(1.0), 0.01
#: Steps of the numeric derivatives, and of the search.
_STEP, _ROUNDS = 1e-6, 12


@dataclass(frozen=True, slots=True)
class Step:
    """A motion between two packets, as the robot reports it."""

    forward: float  #: m
    turn: float  #: rad


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A drive, and where the robot was measured after it. NaN: not measured."""

    steps: Sequence[Step]
    turned: float = math.nan  #: rad, whole turns included
    distance: float = math.nan  #: m between start and end
    x: float = math.nan  #: m from the start, ahead
    y: float = math.nan  #: m from the start, to the left


@dataclass(frozen=True, slots=True)
class Correction:
    """True motions over those that the robot reports."""

    scale: float = 1.0  #: of distances
    turn: float = 1.0  #: of turns
    unequal: float = 0.0  #: what the right wheel rolls further than the left one, as a share


@dataclass(frozen=True, slots=True)
class Fit:
    """A correction, the standard deviation of each value, and how far off the measurements are with it."""

    correction: Correction
    deviation: Correction
    worst: float  #: the largest remaining error, in standard deviations of a measurement by hand


def corrected(step: Step, correction: Correction, track: float) -> Step:
    """Return the true motion for a reported one; `track` is that of the profile, m."""
    return Step(
        correction.scale * step.forward + correction.unequal * track / 4 * step.turn,
        correction.turn * step.turn + correction.unequal / track * step.forward,
    )


def end_of(steps: Iterable[Step]) -> tuple[float, float, float]:
    """Return where steps lead to from the origin: m, m, rad; the angle is not wrapped."""
    x = y = yaw = 0.0
    for step in steps:
        middle = yaw + step.turn / 2
        x += step.forward * math.cos(middle)
        y += step.forward * math.sin(middle)
        yaw += step.turn
    return x, y, yaw


def fit(drives: Sequence[Measured], track: float) -> Fit:
    """Find the correction that fits measured drives.

    Args:
        drives: At least one with something measured.
        track: Of the profile, m.

    Returns:
        The correction. A value that no drive shows stays as it is, with a deviation of infinity.
    """
    values = [1.0, 1.0, 0.0]
    free = [index for index in range(3) if _shown(index, drives, track)]
    for _ in range(_ROUNDS):
        errors, slopes = _linearized(values, free, drives, track)
        change = _solve(_normal(slopes), [-sum(map(_product, slope, errors)) for slope in slopes])
        for index, delta in zip(free, change, strict=True):
            values[index] += delta
    errors, slopes = _linearized(values, free, drives, track)
    deviations = [math.inf] * 3
    for number, index in enumerate(free):
        unit = [float(number == other) for other in range(len(free))]
        deviations[index] = math.sqrt(max(0.0, _solve(_normal(slopes), unit)[number]))
    return Fit(Correction(*values), Correction(*deviations), max(map(abs, errors), default=0.0))


def combined(before: Calibration, correction: Correction) -> Calibration:
    """Return the calibration of a robot whose calibrated motions need a further correction."""
    was = before.right_wheel - before.left_wheel
    scale = correction.scale * before.scale + correction.unequal * was / 4
    turn = correction.turn * before.turn + correction.unequal * was / 4
    unequal = correction.unequal * before.scale + correction.turn * was
    return Calibration(
        left_wheel=scale - unequal / 2,
        right_wheel=scale + unequal / 2,
        turn=turn,
        rev_count=before.rev_count,
    )


def _errors(values: Sequence[float], drives: Sequence[Measured], track: float) -> list[float]:
    """How far each drive ends from where it was measured, in standard deviations."""
    correction, errors = Correction(*values), []
    for drive in drives:
        x, y, yaw = end_of(corrected(step, correction, track) for step in drive.steps)
        for found, measured, deviation in (
            (yaw, drive.turned, _ANGLE),
            (math.hypot(x, y), drive.distance, _LENGTH),
            (x, drive.x, _LENGTH),
            (y, drive.y, _LENGTH),
        ):
            if not math.isnan(measured):
                errors.append((found - measured) / deviation)
    return errors


def _linearized(
    values: Sequence[float], free: Sequence[int], drives: Sequence[Measured], track: float
) -> tuple[list[float], list[list[float]]]:
    """The errors, and their derivatives by each free value."""
    errors = _errors(values, drives, track)
    slopes = []
    for index in free:
        moved = list(values)
        moved[index] += _STEP
        slopes.append([(after - e) / _STEP for after, e in zip(_errors(moved, drives, track), errors, strict=True)])
    return errors, slopes


def _shown(index: int, drives: Sequence[Measured], track: float) -> bool:
    """Whether the measurements show a value: 5 % of it change one of them by more than its deviation."""
    _, (slope,) = _linearized([1.0, 1.0, 0.0], [index], drives, track)
    return any(abs(value) * 0.05 > 1.0 for value in slope)


def _normal(slopes: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[sum(map(_product, one, other)) for other in slopes] for one in slopes]


def _product(a: float, b: float) -> float:
    return a * b


def _solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a small system of linear equations by elimination with pivots."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda index: abs(rows[index][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for index in range(size):
            if index != column:
                factor = rows[index][column] / rows[column][column]
                rows[index] = [a - factor * b for a, b in zip(rows[index], rows[column], strict=True)]
    return [rows[index][size] / rows[index][index] for index in range(size)]
