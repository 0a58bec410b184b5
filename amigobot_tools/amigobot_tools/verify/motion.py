# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The motion of a robot as its packets show it, in SI units, and straight lines through it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amigobot_driver.protocol import Encoders, Sip

from .client import Stamped

Array = NDArray[np.float64]

_POSITION = 0x8000  # modulus of differences of X and Y, for 15 and 16 bits (docs/protocol E-08)
_TURN = 4096  # heading units
_TICKS = 1 << 32  # modulus of the encoders
_CYCLE = 0.06  # s by which the encoders may come after the standard packet of their cycle


class MotionLog:
    """The standard packets of a drive. Arrays have one value for each of them.

    Args:
        packets: Of all kinds.
        distance_unit: m for a unit of X and Y.
        velocity_unit: m/s for a unit of the wheel velocities.
        ticks_per_meter: Of the encoders; 0: unknown.
    """

    def __init__(
        self, packets: Sequence[Stamped], distance_unit: float, velocity_unit: float, ticks_per_meter: float
    ) -> None:
        sips: list[tuple[float, Sip]] = []
        counters: list[tuple[float, float]] = []
        for stamped in packets:
            if isinstance(stamped.packet, Sip):
                sips.append((stamped.time, stamped.packet))
                counters.append((math.nan, math.nan))
            elif isinstance(stamped.packet, Encoders) and sips and stamped.time - sips[-1][0] < _CYCLE:
                counters[-1] = stamped.packet.left, stamped.packet.right
        self.time = np.array([time for time, _ in sips])  #: s
        self.x = _unwrapped([sip.x for _, sip in sips], _POSITION) * distance_unit  #: m
        self.heading = _unwrapped([sip.heading for _, sip in sips], _TURN)  #: units
        self.left = np.array([sip.left_velocity for _, sip in sips]) * velocity_unit  #: m/s
        self.right = np.array([sip.right_velocity for _, sip in sips]) * velocity_unit  #: m/s
        self.velocity = (self.left + self.right) / 2  #: m/s of the middle of the axle
        self.difference = (self.right - self.left) / 2  #: m/s: the turn rate times half the track
        #: of the left and the right encoder since the first one, shape (n, 2); NaN where a cycle has none
        self.ticks = np.array(counters, float).reshape(-1, 2)
        known = ~np.isnan(self.ticks[:, 0])
        self.ticks[known] = np.stack([_unwrapped(side, _TICKS) for side in self.ticks[known].T], axis=-1)
        #: m that the middle of the axle has rolled, by the encoders if there are any, else by X and Y
        self.travel = np.zeros(len(sips))
        if known.any() and ticks_per_meter:
            rolled = self.ticks[known].mean(axis=1) / ticks_per_meter
            self.travel = np.interp(self.time, self.time[known], rolled)
        elif sips:
            angle = math.tau / _TURN * (self.heading[1:] + self.heading[:-1]) / 2
            y = _unwrapped([sip.y for _, sip in sips], _POSITION) * distance_unit
            self.travel[1:] = np.cumsum(np.diff(self.x) * np.cos(angle) + np.diff(y) * np.sin(angle))

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which packets have the encoders of their cycle."""
        return ~np.isnan(self.ticks[:, 0])


def _unwrapped(values: ArrayLike, size: int) -> Array:
    """Return a counter that wraps at `size` as one that begins at 0 and does not wrap."""
    numbers = np.asarray(values, float)
    return np.unwrap(numbers, period=size) - numbers[:1] if numbers.size else numbers


@dataclass(frozen=True, slots=True)
class LineFit:
    """y = slope x + offset, with standard uncertainties."""

    slope: float
    offset: float
    slope_error: float = 0.0
    offset_error: float = 0.0


def fit_line(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> LineFit | None:
    """Fit a straight line.

    Args:
        x: Abscissas.
        y: Ordinates.
        weights: Weights of the points, proportional to the inverse of their variance; None: all the same.

    Returns:
        The line; None for less than three points, or if they all have the same abscissa.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 3 or np.ptp(x) <= 0:
        return None
    w = np.ones(len(x)) if weights is None else np.asarray(weights, float)
    mx, my = np.average(x, weights=w), np.average(y, weights=w)
    sxx = float(np.sum(w * (x - mx) ** 2))
    slope = float(np.sum(w * (x - mx) * (y - my))) / sxx
    offset = float(my - slope * mx)
    rest = float(np.sum(w * (y - offset - slope * x) ** 2)) / (len(x) - 2)
    error = math.sqrt(rest / sxx)
    return LineFit(slope, offset, error, math.sqrt(rest / float(np.sum(w)) + (error * float(mx)) ** 2))


def mean(values: ArrayLike) -> tuple[float, float]:
    """Return the mean and its standard uncertainty from the scatter; NaN without values."""
    numbers = np.asarray(values, float)
    if numbers.size < 2:
        return (float(numbers[0]) if numbers.size else math.nan), 0.0
    return float(numbers.mean()), float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
