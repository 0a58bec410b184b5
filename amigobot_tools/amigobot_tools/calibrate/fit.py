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
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amigobot_driver.profiles import Calibration

Floats = NDArray[np.float64]

_ANGLE = math.radians(1.0)  # rad, standard deviation of an angle measured by hand
_LENGTH = 0.01  # m, standard deviation of a length measured by hand
_STEP = 1e-6  # of the numeric derivatives
_ROUNDS = 12  # steps of the search

#: A motion between two packets, as the robot reports it: forward in m, turned in rad.
Step = tuple[float, float]


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


def end_of(steps: Sequence[Step], correction: Correction, track: float) -> tuple[float, float, float]:
    """Return where reported motions lead to from the origin if they are corrected.

    Args:
        steps: As reported.
        correction: Of them.
        track: Of the profile, m.

    Returns:
        m, m, rad; the angle is not wrapped.
    """
    reported, turned = np.array(steps).T
    forward = correction.scale * reported + correction.unequal * track / 4 * turned
    turn = correction.turn * turned + correction.unequal / track * reported
    middle = np.cumsum(turn) - turn / 2
    return float(forward @ np.cos(middle)), float(forward @ np.sin(middle)), float(turn.sum())


def fit(drives: Sequence[Measured], track: float) -> Fit:
    """Find the correction that fits measured drives.

    Args:
        drives: At least one with something measured.
        track: Of the profile, m.

    Returns:
        The correction. A value that no drive shows stays as it is, with a deviation of infinity.
    """
    values = np.array([1.0, 1.0, 0.0])
    free = [index for index in range(3) if _shown(index, drives, track)]
    for _ in range(_ROUNDS):
        errors, slopes = _linearized(values, free, drives, track)
        values[free] -= np.linalg.lstsq(slopes, errors, rcond=None)[0]
    errors, slopes = _linearized(values, free, drives, track)
    deviations = np.full(3, np.inf)
    deviations[free] = np.sqrt(np.diag(np.linalg.pinv(slopes.T @ slopes)))
    return Fit(Correction(*values.tolist()), Correction(*deviations.tolist()), float(np.abs(errors).max(initial=0.0)))


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


def _errors(values: Floats, drives: Sequence[Measured], track: float) -> Floats:
    """How far each drive ends from where it was measured, in standard deviations."""
    correction, errors = Correction(*values.tolist()), []
    for drive in drives:
        x, y, yaw = end_of(drive.steps, correction, track)
        for found, measured, deviation in (
            (yaw, drive.turned, _ANGLE),
            (math.hypot(x, y), drive.distance, _LENGTH),
            (x, drive.x, _LENGTH),
            (y, drive.y, _LENGTH),
        ):
            if not math.isnan(measured):
                errors.append((found - measured) / deviation)
    return np.array(errors)


def _linearized(values: Floats, free: Sequence[int], drives: Sequence[Measured], track: float) -> tuple[Floats, Floats]:
    """The errors, and a column with their derivatives by each free value."""
    errors = _errors(values, drives, track)
    slopes = [(_errors(values + _STEP * np.eye(3)[index], drives, track) - errors) / _STEP for index in free]
    return errors, np.array(slopes).reshape(len(free), len(errors)).T


def _shown(index: int, drives: Sequence[Measured], track: float) -> bool:
    """Whether the measurements show a value: 5 % of it change one of them by more than its deviation."""
    _, slopes = _linearized(np.array([1.0, 1.0, 0.0]), [index], drives, track)
    return bool(np.any(np.abs(slopes) * 0.05 > 1.0))
