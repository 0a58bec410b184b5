# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where to drive and how to follow it: plain geometry, no ROS. Meters and radians."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Pose(NamedTuple):
    """A place and a direction in some frame."""

    x: float
    y: float
    yaw: float

    def seen_from(self, frame: Pose) -> Pose:
        """This pose in a frame whose own pose is `frame`."""
        dx, dy = self.x - frame.x, self.y - frame.y
        c, s = math.cos(frame.yaw), math.sin(frame.yaw)
        return Pose(c * dx + s * dy, c * dy - s * dx, math.remainder(self.yaw - frame.yaw, math.tau))

    def transformed_by(self, frame: Pose) -> Pose:
        """This pose, given in a frame whose own pose is `frame`, in the parent of that frame."""
        c, s = math.cos(frame.yaw), math.sin(frame.yaw)
        x, y = frame.x + c * self.x - s * self.y, frame.y + s * self.x + c * self.y
        return Pose(x, y, math.remainder(self.yaw + frame.yaw, math.tau))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A path through free floor, from the first waypoint to the last, and how to drive it.

    The waypoints are in a frame in which the robot starts at `start`.
    """

    waypoints: tuple[tuple[float, float], ...]
    start: Pose
    end_yaw: float
    speed: float
    turn_rate: float
    look_ahead: float  #: m along the path to the point that the robot steers for; corners are cut by about a quarter
    turn_on_the_spot: float  #: off by more than this angle, the robot stops and turns first
    clearance: float  #: m of free floor that the sonars ahead must see


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
    start=Pose(2.75, 2.75, 0.0),
    end_yaw=math.pi,
    speed=0.5,
    turn_rate=1.2,
    look_ahead=0.6,
    turn_on_the_spot=math.radians(75),
    clearance=0.2,
)

#: What a real robot drives: it needs half a meter ahead of it and to its left, and the length of its body around that.
SQUARE = Tour(
    waypoints=((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)),
    start=Pose(0.0, 0.0, 0.0),
    end_yaw=0.0,
    speed=0.15,
    turn_rate=0.6,
    look_ahead=0.12,
    turn_on_the_spot=math.radians(25),
    clearance=0.4,
)

TOURS = {"room": ROOM, "square": SQUARE}


class Path:
    """A polyline, measured along its length (m)."""

    _STEP = 0.01  # m between two places that `nearest` considers

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        self._x, self._y = np.array(points).T
        self._marks = np.concatenate(([0.0], np.hypot(np.diff(self._x), np.diff(self._y)).cumsum()))
        self.length = float(self._marks[-1])

    def at(self, distance: float) -> tuple[float, float]:
        """Return the point at this distance from the start; beyond the ends, the ends."""
        x, y = (np.interp(distance, self._marks, values) for values in (self._x, self._y))
        return float(x), float(y)

    def nearest(self, x: float, y: float, begin: float, end: float) -> float:
        """Return the distance of the nearest point, looked for between `begin` and `end` only."""
        marks = np.arange(begin, end + self._STEP / 2, self._STEP)
        xs, ys = (np.interp(marks, self._marks, values) for values in (self._x, self._y))
        return float(marks[np.argmin(np.hypot(xs - x, ys - y))])


class Pursuit:
    """Follows a tour by pure pursuit: poses in, velocities out. Poses are relative to the start of the tour."""

    _ARRIVED = 0.03  # m before the end
    _STRAIGHT = math.radians(3)
    _DECELERATION = 0.15  # m/s^2 towards the end, and the rate at which turns end, in the same measure
    _CREEP = 0.05

    def __init__(self, tour: Tour) -> None:
        self.tour = tour
        points = [Pose(x, y, 0.0).seen_from(tour.start) for x, y in tour.waypoints]
        self.path = Path([(point.x, point.y) for point in points])
        self.distance = 0.0  #: m driven along the path
        self.finished = False
        self._turning = False
        self._parking = False
        self._end_yaw = math.remainder(tour.end_yaw - tour.start.yaw, math.tau)

    @property
    def progress(self) -> float:
        """From 0 to 1."""
        return self.distance / self.path.length

    def steer(self, x: float, y: float, yaw: float) -> tuple[float, float]:
        """The velocities to drive with from here, m/s and rad/s."""
        tour, path = self.tour, self.path
        # A look-ahead's length at a time: where the path crosses itself, the robot stays on its branch.
        horizon = min(self.distance + tour.look_ahead, path.length)
        self.distance = path.nearest(x, y, self.distance, horizon)
        left = path.length - self.distance
        if left <= self._ARRIVED or self._parking:
            self.distance, self._parking = path.length, True
            return 0.0, self._turn(math.remainder(self._end_yaw - yaw, math.tau))
        target_x, target_y = path.at(self.distance + tour.look_ahead)
        off = math.remainder(math.atan2(target_y - y, target_x - x) - yaw, math.tau)
        self._turning = abs(off) > (self._STRAIGHT if self._turning else tour.turn_on_the_spot)
        if self._turning:
            return 0.0, self._turn_rate(off)
        speed = min(tour.speed * max(math.cos(off), 0.3), math.sqrt(2 * self._DECELERATION * left) + self._CREEP)
        turn = 2 * speed * math.sin(off) / max(math.dist((x, y), (target_x, target_y)), self._ARRIVED)
        return speed, max(-tour.turn_rate, min(tour.turn_rate, turn))

    def _turn(self, off: float) -> float:
        """The last turn, at the end of the path."""
        self.finished = abs(off) <= self._STRAIGHT
        return 0.0 if self.finished else self._turn_rate(off)

    def _turn_rate(self, off: float) -> float:
        return math.copysign(min(self.tour.turn_rate, 1.5 * abs(off) + self._CREEP), off)
