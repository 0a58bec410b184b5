# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where a robot can go in a world, and how near its body came to a wall."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from amigobot_driver.profiles import Body
from amigobot_driver.sim import Segment, World, WorldPose
from amigobot_navigation.nav2 import footprint

_CELL = 0.1
#: m of air that a goal and a way need around the robot: to turn there, and to pass.
_AT_GOAL, _ON_THE_WAY = 0.10, 0.06


@dataclass(frozen=True, slots=True)
class Goal:
    """m, m, rad in the map."""

    x: float
    y: float
    heading: float


class Floor:
    """The places of a world that a body can reach from where the world has robots start."""

    def __init__(self, world: World, body: Body) -> None:
        self.world = world
        self.body = body
        self._corners = footprint(body)
        need = body.width / 2 + _ON_THE_WAY
        start = self._cell(world.start.x, world.start.y)
        self._reached = {start: 1.0}  # with the distance to the nearest wall, m
        queue = deque([start])
        while queue:
            column, row = queue.popleft()
            for cell in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if cell not in self._reached and (room := self.distance(*self._place(cell))) > need:
                    self._reached[cell] = room
                    queue.append(cell)
        room = body.radius + _AT_GOAL
        self._goals = sorted(cell for cell, distance in self._reached.items() if distance > room)

    def goals(self, seed: int, within: float = math.inf) -> Iterator[Goal]:
        """Random goals, without end; each at least 1.5 m from the one before and at most `within` m from a wall."""
        rng = random.Random(seed)
        places = [cell for cell in self._goals if self._reached[cell] <= within]
        last = (self.world.start.x, self.world.start.y)
        while True:
            x, y = self._place(rng.choice(places))
            if math.dist((x, y), last) > 1.5:
                last = (x, y)
                yield Goal(x, y, rng.uniform(-math.pi, math.pi))

    def distance(self, x: float, y: float) -> float:
        """From a point to the nearest wall, m."""
        return min(segment.distance_to(x, y) for segment in self.world.segments)

    def clearance(self, pose: WorldPose) -> float:
        """From the body at this pose to the nearest wall, m; exact while no wall is in the body."""
        near = self.world.near(pose.x, pose.y, self.body.radius + 1.0)
        cos, sin = math.cos(pose.heading), math.sin(pose.heading)
        corners = [(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in self._corners]
        edges = [Segment(*a, *b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        distances = [segment.distance_to(*corner) for segment in near for corner in corners]
        for wall in near:
            distances += [edge.distance_to(*end) for edge in edges for end in ((wall.x1, wall.y1), (wall.x2, wall.y2))]
        return min(distances, default=1.0)

    @staticmethod
    def _cell(x: float, y: float) -> tuple[int, int]:
        return math.floor(x / _CELL), math.floor(y / _CELL)

    @staticmethod
    def _place(cell: tuple[int, int]) -> tuple[float, float]:
        return (cell[0] + 0.5) * _CELL, (cell[1] + 0.5) * _CELL
