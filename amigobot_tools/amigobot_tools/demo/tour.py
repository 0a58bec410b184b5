# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where to drive and how to follow it: plain geometry, no ROS. Meters and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A path through free floor, and how to drive it. The robot starts at the first waypoint, along the x-axis."""

    waypoints: tuple[tuple[float, float], ...]
    speed: float
    turn_rate: float
    look_ahead: float  #: m along the path to the point that the robot steers for; corners are cut by about a quarter
    turn_on_the_spot: float  #: off by more than this angle, the robot stops and turns first


#: Once round the furniture of config/worlds/room.yaml, in that room's own frame.
ROOM = Tour(
    waypoints=(
        (2.75, 2.75),
        (4.4, 2.9),
        (4.95, 3.45),
        (4.4, 4.0),
        (2.2, 4.0),
        (1.4, 3.3),
        (1.4, 1.95),
        (2.05, 1.3),
        (3.4, 1.3),
        (3.7, 1.6),
        (3.4, 1.95),
        (2.3, 1.95),
    ),
    speed=0.3,
    turn_rate=1.2,
    look_ahead=0.6,
    turn_on_the_spot=math.radians(75),
)

#: What a real robot drives: it needs half a meter ahead of it and to its left, and the length of its body around that.
SQUARE = Tour(
    waypoints=((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)),
    speed=0.15,
    turn_rate=0.6,
    look_ahead=0.12,
    turn_on_the_spot=math.radians(25),
)


class Pursuit:
    """Follows a tour by pure pursuit: poses in, velocities out. Poses are relative to the start of the tour."""

    _STEP = 0.01  # m between two points of the path
    _ARRIVED = 0.03  # m before the end
    _STRAIGHT = math.radians(3)
    _DECELERATION = 0.15  # m/s^2 towards the end
    _CREEP = 0.05  # m/s and rad/s with which motions end

    def __init__(self, tour: Tour) -> None:
        self.tour = tour
        corners = np.array(tour.waypoints) - tour.waypoints[0]
        marks = np.concatenate(([0.0], np.hypot(*np.diff(corners, axis=0).T).cumsum()))
        distances = np.arange(0.0, marks[-1], self._STEP)
        self._points = np.stack([np.interp(distances, marks, side) for side in corners.T], axis=-1)
        self._passed = 0  # points
        self._turning = False

    @property
    def progress(self) -> float:
        """From 0 to 1."""
        return self._passed / (len(self._points) - 1)

    @property
    def _left(self) -> float:
        """Distance to the end in m."""
        return (len(self._points) - 1 - self._passed) * self._STEP

    @property
    def finished(self) -> bool:
        """Whether the robot has arrived."""
        return self._left <= self._ARRIVED

    def steer(self, x: float, y: float, yaw: float) -> tuple[float, float]:
        """The velocities to drive with from here, m/s and rad/s."""
        tour = self.tour
        # A look-ahead's length at a time: where the path crosses itself, the robot stays on its branch.
        near = self._points[self._passed :][: round(tour.look_ahead / self._STEP)]
        self._passed += int(np.hypot(*(near - (x, y)).T).argmin())
        if self.finished:
            return 0.0, 0.0
        target = self._points[self._passed :][: round(tour.look_ahead / self._STEP)][-1]
        off = math.remainder(math.atan2(target[1] - y, target[0] - x) - yaw, math.tau)
        self._turning = abs(off) > (self._STRAIGHT if self._turning else tour.turn_on_the_spot)
        if self._turning:
            return 0.0, math.copysign(min(tour.turn_rate, 1.5 * abs(off) + self._CREEP), off)
        speed = min(tour.speed * max(math.cos(off), 0.3), math.sqrt(2 * self._DECELERATION * self._left) + self._CREEP)
        turn = 2 * speed * math.sin(off) / max(math.dist((x, y), target), self._ARRIVED)
        return speed, max(-tour.turn_rate, min(tour.turn_rate, turn))
