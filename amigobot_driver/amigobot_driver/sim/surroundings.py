# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is near a robot: walls, from a list that is renewed when the robot has moved, and the other robots."""

from __future__ import annotations

import math
from collections.abc import Callable

from .world import Segment, World

#: m that a robot may move before the list of walls near it is renewed
_NEIGHBORHOOD = 0.5
#: m that a robot moves at least between two measurements of the distance to the nearest wall
_STEP = 0.01

#: Returns the outlines of the other robots within a distance (m, third) of a point (x and y, m), and perhaps more.
OtherRobots = Callable[[float, float, float], list[Segment]]


class Surroundings:
    """Walls and other robots within a distance of a point that moves little from one call to the next."""

    def __init__(self, world: World, distance: float) -> None:
        """Start without other robots.

        Args:
            world: The walls.
            distance: Everything nearer than this is found, m.
        """
        self._distance = distance
        self.others: OtherRobots | None = None  #: the other robots in this world; None without others
        self.enter(world)

    def enter(self, world: World) -> None:
        """Replace the walls."""
        self._world = world
        self._walls: list[Segment] = []
        self._listed_at = self._measured_at = math.inf, math.inf
        self._nearest = 0.0  #: m, from the point `_measured_at` to the nearest wall, at most `_distance`

    def near(self, x: float, y: float) -> list[Segment]:
        """Return the segments within the distance of a point (m), and perhaps more."""
        others = self.others(x, y, self._distance) if self.others else None
        walls = self._walls_near(x, y)
        return walls + others if others else walls

    def is_clear(self, x: float, y: float, radius: float) -> bool:
        """Return whether nothing is within `radius` of a point (m). False also if something is only a little farther.

        It is much faster than to look at each segment.
        """
        moved = math.dist((x, y), self._measured_at)
        if moved > max(_STEP, self._nearest - radius):
            self._measured_at, moved = (x, y), 0.0
            distances = (wall.distance_to(x, y) for wall in self._walls_near(x, y))
            self._nearest = min((self._distance, *distances))
        return moved + radius < self._nearest and not (self.others and self.others(x, y, radius))

    def _walls_near(self, x: float, y: float) -> list[Segment]:
        if math.dist((x, y), self._listed_at) > _NEIGHBORHOOD:
            self._listed_at = x, y
            self._walls = self._world.near(x, y, self._distance + _NEIGHBORHOOD)
        return self._walls
