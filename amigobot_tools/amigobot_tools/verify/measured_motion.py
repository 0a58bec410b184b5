# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The motion of a robot as its packets show it, in SI units, and straight lines through it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from amigobot_driver.protocol import Encoders, Sip

from .client import Stamped

_POSITION = 0x8000  # modulus of differences of X and Y, for 15 and 16 bits (docs/protocol E-08)
_TURN = 4096  # heading units
_TICKS = 1 << 32  # modulus of the encoders
_CYCLE = 0.06  # s by which the encoders may come after the SIP of their cycle


@dataclass(slots=True)
class Instant:
    """What a SIP shows of the motion, and the encoders of its cycle."""

    time: float  #: s
    x: float  #: m since the first packet
    y: float  #: m since the first packet
    heading: float  #: units since the first packet
    left: float  #: m/s of the left wheel
    right: float  #: m/s of the right wheel
    ticks: tuple[float, float] = (math.nan, math.nan)  #: of the left and the right encoder since the first ones
    travel: float = 0.0  #: m that the middle of the axle has rolled

    @property
    def velocity(self) -> float:
        """Velocity in m/s of the middle of the axle."""
        return (self.left + self.right) / 2

    @property
    def difference(self) -> float:
        """The turn rate times half the track, m/s."""
        return (self.right - self.left) / 2

    @property
    def middle_ticks(self) -> float:
        """Mean of the two encoders; NaN without encoders."""
        return sum(self.ticks) / 2


def motion_log(
    packets: Iterable[Stamped], distance_unit: float, velocity_unit: float, ticks_per_meter: float
) -> list[Instant]:
    """Return the motion of a drive, an instant for each SIP, while encoders are streamed with theirs.

    Args:
        packets: Of all kinds.
        distance_unit: m for a unit of X and Y.
        velocity_unit: m/s for a unit of the wheel velocities.
        ticks_per_meter: Of the encoders; NaN: unknown.
    """
    rows: list[tuple[float, Sip, Encoders | None]] = []
    for stamped in packets:
        if isinstance(stamped.packet, Sip):
            rows.append((stamped.time, stamped.packet, None))
        elif isinstance(stamped.packet, Encoders) and rows and stamped.time - rows[-1][0] < _CYCLE:
            rows[-1] = (*rows[-1][:2], stamped.packet)
    streamed = 2 * sum(encoders is not None for *_, encoders in rows) > len(rows)
    rows = [row for row in rows if row[2] or not streamed]
    xs, ys = (unwrapped([getattr(sip, name) for _, sip, _ in rows], _POSITION, distance_unit) for name in ("x", "y"))
    headings = unwrapped([sip.heading for _, sip, _ in rows], _TURN)
    lefts, rights = (
        unwrapped([getattr(encoders, side, math.nan) for *_, encoders in rows], _TICKS) for side in ("left", "right")
    )
    log: list[Instant] = []
    for (time, sip, _), x, y, heading, *ticks in zip(rows, xs, ys, headings, lefts, rights, strict=True):
        left, right = (velocity_unit * speed for speed in (sip.left_velocity, sip.right_velocity))
        at = Instant(time, x, y, heading, left, right, (ticks[0], ticks[1]))
        if streamed and math.isfinite(ticks_per_meter):
            at.travel = at.middle_ticks / ticks_per_meter
        elif log:
            before = log[-1]
            angle = math.tau / _TURN * (at.heading + before.heading) / 2
            at.travel = before.travel + (at.x - before.x) * math.cos(angle) + (at.y - before.y) * math.sin(angle)
        log.append(at)
    return log


def unwrapped(values: Sequence[float], modulus: int, unit: float = 1.0) -> list[float]:
    """Return a counter that wraps as one that begins at 0 and does not wrap, in a unit."""
    half = modulus / 2
    steps = ((after - before + half) % modulus - half for before, after in pairwise(values))
    return [unit * value for value in accumulate(steps, initial=0.0)][: len(values)]


@dataclass(frozen=True, slots=True)
class LineFit:
    """y = slope x + offset, with standard uncertainties."""

    slope: float
    offset: float
    slope_error: float = 0.0
    offset_error: float = 0.0


def fit_line(points: Iterable[tuple[float, float]], weights: Iterable[float] | None = None) -> LineFit:
    """Fit a straight line.

    Args:
        points: Abscissas and ordinates.
        weights: Weights of the points, proportional to the inverse of their variance; None: all the same.

    Returns:
        The line; NaN for less than three points, or if they all have the same abscissa.
    """
    points = list(points)
    if len(points) < 3 or len({x for x, _ in points}) < 2:
        return LineFit(math.nan, math.nan, math.nan, math.nan)
    w = [1.0] * len(points) if weights is None else list(weights)
    total = math.fsum(w)
    mx, my = (math.fsum(map(float.__mul__, w, map(float, side))) / total for side in zip(*points, strict=True))
    rows = [(wi, x - mx, y - my) for wi, (x, y) in zip(w, points, strict=True)]
    sxx = math.fsum(wi * x * x for wi, x, _ in rows)
    slope = math.fsum(wi * x * y for wi, x, y in rows) / sxx
    rest = math.fsum(wi * (y - slope * x) ** 2 for wi, x, y in rows) / (len(points) - 2)
    error = math.sqrt(rest / sxx)
    return LineFit(slope, my - slope * mx, error, math.sqrt(rest / total + (error * mx) ** 2))


def mean(values: Iterable[float]) -> tuple[float, float]:
    """Return the mean of what was found and its standard uncertainty from the scatter; NaN without values."""
    numbers = [value for value in map(float, values) if math.isfinite(value)]
    if len(numbers) < 2:
        return (numbers[0] if numbers else math.nan), 0.0
    return statistics.fmean(numbers), statistics.stdev(numbers) / math.sqrt(len(numbers))
