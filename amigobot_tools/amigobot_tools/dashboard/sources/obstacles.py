# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The obstacles of a simulated world, which can be moved one by one: walls, boxes, circles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from amigobot_driver.sim import Segment, World, WorldPose
from amigobot_driver.sim.world import encloses

#: Decimal places of coordinates (m) within which two ends of walls are the same corner.
_CORNER = 4


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle, which is its outline."""

    number: int
    kind: str  #: wall, box or circle; a wall is part of the world that was loaded
    x: float  #: m, of its middle
    y: float  #: m
    heading: float  #: rad
    outline: tuple[Segment, ...]  #: in its own frame

    def segments(self) -> list[Segment]:
        """Return its outline in the world's frame."""
        place = WorldPose(self.x, self.y, self.heading).place
        return [Segment(*place(*one[:2]), *place(*one[2:])) for one in self.outline]

    def contains(self, pose: WorldPose) -> bool:
        """Whether the middle of a robot is inside, so that the outline may be around the whole robot."""
        return _is_closed(self.outline) and encloses(self.segments(), pose.x, pose.y)


def obstacles_of(world: World) -> dict[int, Obstacle]:
    """Return the obstacles of a world by number.

    Walls that meet at their ends are one obstacle, such as a table. Each wall around the robot's start is an obstacle
    of its own: a room is not moved.
    """
    obstacles: dict[int, Obstacle] = {}
    for group in _connected(world.segments):
        parts = [[segment] for segment in group] if _surrounds(group, world.start) else [group]
        for part in parts:
            number = len(obstacles) + 1
            obstacles[number] = _obstacle(number, part)
    return obstacles


def _connected(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Groups of segments that meet at their ends, in the order of their first segments."""
    group_at: dict[tuple[float, float], list[Segment]] = {}
    for segment in segments:
        start, end = (group_at.get(corner, []) for corner in _corners(segment))
        group = [*start, *(end if end is not start else ()), segment]
        group_at |= {corner: group for one in group for corner in _corners(one)}
    return list({id(group): group for group in group_at.values()}.values())


def _corners(segment: Segment) -> list[tuple[float, float]]:
    return [(round(x, _CORNER), round(y, _CORNER)) for x, y in (segment[:2], segment[2:])]


def _is_closed(outline: Iterable[Segment]) -> bool:
    """Whether an even number of segments meets at every corner."""
    open_corners: set[tuple[float, float]] = set()
    for segment in outline:
        for corner in _corners(segment):
            open_corners ^= {corner}
    return not open_corners


def _bounds(segments: list[Segment]) -> tuple[float, float, float, float]:
    xs, ys = zip(*(end for segment in segments for end in (segment[:2], segment[2:])), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _surrounds(segments: list[Segment], start: WorldPose) -> bool:
    left, low, right, high = _bounds(segments)
    return left < start.x < right and low < start.y < high


def _obstacle(number: int, segments: list[Segment]) -> Obstacle:
    left, low, right, high = _bounds(segments)
    x, y = (left + right) / 2, (low + high) / 2
    outline = tuple(Segment(one.x1 - x, one.y1 - y, one.x2 - x, one.y2 - y) for one in segments)
    return Obstacle(number, "wall", x, y, 0.0, outline)
