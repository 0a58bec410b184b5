# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Odometry against the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .recording import Track
from .tour import Pose

#: s around a packet's stamp in which the robot may have been where the packet says
_WINDOW = np.linspace(-0.5, 0.5, 201)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How far odometry was off, m and rad, when its frame is laid where the tour began."""

    origin: Pose  #: of the odometry's frame in the world
    end: float
    end_angle: float
    max_deviation: float  #: from the true path


def compare(odometry: Track, truth: Track) -> Comparison:
    """Both in s of the same clock."""
    ends = truth.at(odometry.time[[0, -1]])
    origin = Pose(0.0, 0.0, 0.0).seen_from(odometry.pose(0)).transformed_by(ends.pose(0))
    placed = odometry.placed(origin)
    # The distance from the path, not along it: how late packets came on a busy machine says nothing about odometry.
    near = truth.at(odometry.time[:, np.newaxis] + _WINDOW)
    deviation = np.hypot(placed.x[:, np.newaxis] - near.x, placed.y[:, np.newaxis] - near.y).min(axis=1)
    last = placed.pose(-1).seen_from(ends.pose(-1))
    return Comparison(
        origin=origin,
        end=math.hypot(last.x, last.y),
        end_angle=abs(last.yaw),
        max_deviation=float(deviation.max()),
    )
