# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where to drive and how to follow it: plain geometry, no ROS. Meters and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A path through free floor, and how to drive it. The robot starts at the first waypoint, along the x-axis."""

    waypoints: tuple[tuple[float, float], ...]  #: m
    speed: float  #: m/s
    turn_rate: float  #: rad/s
    corner: float  #: m before a waypoint at which the robot turns to the next one


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
    corner=0.45,
)

#: What a real robot drives: it needs half a meter ahead of it and to its left, and the length of its body around that.
SQUARE = Tour(
    waypoints=((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)), speed=0.15, turn_rate=0.6, corner=0.03
)


class Pursuit:
    """Heads for one waypoint after the other: poses in, velocities out. Poses are relative to the start of the tour."""

    _ARRIVED = 0.03  # m before the end
    _DECELERATION = 0.15  # m/s^2 towards the end
    _CREEP = 0.05  # m/s with which the tour ends
    _GAIN = 1.0  # rad/s for each rad between heading and waypoint
    _ON_THE_SPOT = math.pi / 2  # rad from which the robot turns without driving

    def __init__(self, tour: Tour) -> None:
        self.tour = tour
        (x, y), *others = tour.waypoints
        self._waypoints = [(other[0] - x, other[1] - y) for other in others]
        self._passed = 0

    @property
    def progress(self) -> float:
        """Share of the waypoints that the robot has reached, 0 to 1."""
        return self._passed / len(self._waypoints)

    @property
    def finished(self) -> bool:
        """Whether the robot has arrived."""
        return self._passed == len(self._waypoints)

    def steer(self, x: float, y: float, yaw: float) -> tuple[float, float]:
        """Return the velocities (m/s, rad/s) from a pose (m, rad), and note which waypoints it has reached."""
        tour, target = self.tour, self._waypoints[self._passed]
        distance, speed = math.dist((x, y), target), tour.speed
        if self._passed == len(self._waypoints) - 1:
            speed = min(speed, math.sqrt(2 * self._DECELERATION * distance) + self._CREEP)
            self._passed += distance < self._ARRIVED
        else:
            self._passed += distance < tour.corner
        off = math.remainder(math.atan2(target[1] - y, target[0] - x) - yaw, math.tau)
        turn = max(-tour.turn_rate, min(tour.turn_rate, self._GAIN * off))
        return speed * max(0.0, 1.0 - abs(off) / self._ON_THE_SPOT), turn
