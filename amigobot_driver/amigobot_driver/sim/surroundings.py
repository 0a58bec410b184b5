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
        self._listed_at = math.inf, math.inf

    def near(self, x: float, y: float) -> list[Segment]:
        """Return the segments within the distance of a point (m), and perhaps more."""
        world, find = self._scene.world, self._scene.others
        if math.dist((x, y), self._listed_at) > _NEIGHBORHOOD or self._listed is not world:
            self._listed, self._listed_at = world, (x, y)
            self._walls = world.near(x, y, self._distance + _NEIGHBORHOOD)
        return self._walls + find(x, y, self._distance) if find else self._walls
