# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Poses in the plane, seen from other poses."""

from __future__ import annotations

import math
from typing import NamedTuple


class Pose(NamedTuple):
    """A pose in some frame: x and y in m, yaw in rad."""

    x: float
    y: float
    yaw: float

    def seen_from(self, frame: Pose) -> Pose:
        """Return this pose in a frame whose own pose is `frame`."""
        dx, dy = self.x - frame.x, self.y - frame.y
        c, s = math.cos(frame.yaw), math.sin(frame.yaw)
        return Pose(c * dx + s * dy, c * dy - s * dx, math.remainder(self.yaw - frame.yaw, math.tau))

    def transformed_by(self, frame: Pose) -> Pose:
        """Return this pose, given in a frame whose own pose is `frame`, in the parent of that frame."""
        c, s = math.cos(frame.yaw), math.sin(frame.yaw)
        x, y = frame.x + c * self.x - s * self.y, frame.y + s * self.x + c * self.y
        return Pose(x, y, math.remainder(self.yaw + frame.yaw, math.tau))
