# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The motion model of a differential drive: displacements in the plane, and how their errors add up.

A displacement is measured in the frame of its start. Neither packets nor robots are known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LEVER = 0.3  # m, weight of a heading error of 1 rad where displacements are compared
# The robot reports no errors: these are assumptions (docs/protocol/odometry.md, "Covariances").
_ERROR_DISTANCE = 0.03  # m / sqrt(m), stdev of a distance
_ERROR_DRIFT = 0.05  # rad / sqrt(m), stdev of the heading by a distance
_ERROR_TURN = 0.05  # rad / sqrt(rad), stdev of the heading by a turn
_MAX_VARIANCE = 1e4  # m^2 or rad^2: some filters refuse larger ones


@dataclass(frozen=True, slots=True)
class Displacement:
    """A motion in the frame of its start."""

    x: float = 0.0  #: m ahead
    y: float = 0.0  #: m to the left
    turn: float = 0.0  #: rad, counter-clockwise

    @property
    def forward(self) -> float:
        """Distance in m in the mean heading of the motion; negative backwards."""
        return self.x * math.cos(self.turn / 2) + self.y * math.sin(self.turn / 2)

    def distance_to_arc(self, length: float, turn: float) -> float:
        """Return the distance to the nearest part of an arc, in m; a heading counts by `LEVER`, whole turns by 0.

        Args:
            length: Length of the arc, m; negative backwards.
            turn: Angle of the arc, rad.
        """
        size = length**2 + (LEVER * turn) ** 2
        distances = []
        for turned in (self.turn, self.turn + math.copysign(math.tau, turn)):
            share = min(1.0, max(0.0, (self.forward * length + LEVER**2 * turned * turn) / size)) if size else 0.0
            part = arc(share * length, share * turn)
            distances.append(math.hypot(self.x - part.x, self.y - part.y) + LEVER * abs(turned - part.turn))
        return min(distances)


def rotated(x: float, y: float, angle: float) -> tuple[float, float]:
    """Return a vector turned counter-clockwise by an angle (rad)."""
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y


def arc(length: float, turn: float) -> Displacement:
    """Return the displacement along an arc of this length (m, negative backwards) and angle (rad)."""
    chord = length * math.sin(turn / 2) / (turn / 2) if turn else length
    return Displacement(*rotated(chord, 0.0, turn / 2), turn)


def propagated(covariance: tuple[float, ...], dx: float, dy: float, forward: float, turned: float) -> tuple[float, ...]:
    """Return the covariance of the pose after a motion: F P F' + Q, bounded.

    Args:
        covariance: xx, xy, xa, yy, ya, aa in m^2, m rad, rad^2; a is the yaw.
        dx: m in the frame of the pose.
        dy: m in the frame of the pose.
        forward: m.
        turned: rad.
    """
    xx, xy, xa, yy, ya, aa = covariance
    # F is the identity but for d(x, y)/dyaw = (-dy, dx).
    xy += dx * xa - dy * ya - dx * dy * aa
    xx += dy * (dy * aa - 2 * xa)
    yy += dx * (dx * aa + 2 * ya)
    xa, ya = xa - dy * aa, ya + dx * aa
    noise = _ERROR_DISTANCE**2 * abs(forward)
    xx, yy = xx + noise, yy + noise
    aa += _ERROR_DRIFT**2 * abs(forward) + _ERROR_TURN**2 * abs(turned)
    if max(xx, yy, aa) <= _MAX_VARIANCE:
        return xx, xy, xa, yy, ya, aa
    # Scale rows and columns with a variance beyond the maximum; correlations stay.
    sx, sy, sa = (math.sqrt(min(1.0, _MAX_VARIANCE / variance)) for variance in (xx, yy, aa))
    return sx * sx * xx, sx * sy * xy, sx * sa * xa, sy * sy * yy, sy * sa * ya, sa * sa * aa
