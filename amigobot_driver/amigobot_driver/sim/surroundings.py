# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is near a robot: walls, from a list that is renewed when the robot has moved, and the other robots."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .world import Segment, World

#: m that a robot may move before the list of walls near it is renewed
_NEIGHBORHOOD = 0.5
#: m that a robot moves at least between two measurements of the distance to the nearest wall
_STEP = 0.01

#: Returns the outlines of the other robots within a distance (m, third) of a point (x and y, m), and perhaps more.
OtherRobots = Callable[[float, float, float], list[Segment]]


@dataclass(slots=True)
class Scene:
    """Where a robot is: walls, furniture and areas without a floor, and the other robots. Both can be replaced."""

    world: World
    others: OtherRobots | None = None


class Surroundings:
    """Walls and other robots within a distance of a point that moves little from one call to the next."""

    def __init__(self, scene: Scene, distance: float) -> None:
        """Look at nothing yet.

        Args:
            scene: Walls and other robots.
            distance: Everything nearer than this is found, m.
        """
        self._scene, self._distance = scene, distance
        self._listed: World | None = None  #: the world of the list
        self._walls: list[Segment] = []
        self._listed_at = self._measured_at = math.inf, math.inf
        self._nearest = 0.0  #: m, from the point `_measured_at` to the nearest wall, at most `_distance`

    def near(self, x: float, y: float) -> list[Segment]:
        """Return the segments within the distance of a point (m), and perhaps more."""
        find, walls = self._scene.others, self._walls_near(x, y)
        return walls + find(x, y, self._distance) if find else walls

    def is_clear(self, x: float, y: float, radius: float) -> bool:
        """Return whether nothing is within `radius` of a point (m). False also if something is only a little farther.

        It is much faster than to look at each segment.
        """
        moved = math.dist((x, y), self._measured_at)
        if moved > max(_STEP, self._nearest - radius) or self._listed is not self._scene.world:
            self._measured_at, moved = (x, y), 0.0
            distances = (wall.distance_to(x, y) for wall in self._walls_near(x, y))
            self._nearest = min((self._distance, *distances))
        find = self._scene.others
        return moved + radius < self._nearest and not (find and find(x, y, radius))

    def _walls_near(self, x: float, y: float) -> list[Segment]:
        world = self._scene.world
        if math.dist((x, y), self._listed_at) > _NEIGHBORHOOD or self._listed is not world:
            self._listed, self._listed_at = world, (x, y)
            self._walls = world.near(x, y, self._distance + _NEIGHBORHOOD)
        return self._walls
