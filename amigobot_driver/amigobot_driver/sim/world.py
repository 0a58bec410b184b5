# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot's world: walls and furniture as line segments, seen from above. Meters and radians."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

#: m that a robot may move before the list of walls near it is renewed
_NEIGHBORHOOD = 0.5


@dataclass(frozen=True, slots=True)
class WorldPose:
    """Position in m and heading in rad, in the world's frame."""

    x: float
    y: float
    heading: float = 0.0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the robot is in the world; m ahead of the axle's center and to the left."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        return self.x + c * x - s * y, self.y + s * x + c * y


class Segment(NamedTuple):
    """A piece of wall from (x1, y1) to (x2, y2), in m."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def angle(self) -> float:
        """Direction of the segment in rad."""
        return math.atan2(self.y2 - self.y1, self.x2 - self.x1)

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance in m from the point (x, y) to the nearest point of the segment."""
        ex, ey = self.x2 - self.x1, self.y2 - self.y1
        square = ex * ex + ey * ey
        along = ((x - self.x1) * ex + (y - self.y1) * ey) / square if square else 0.0
        along = min(1.0, max(0.0, along))
        return math.hypot(self.x1 + along * ex - x, self.y1 + along * ey - y)


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle around the center of the axle: its extent to the front, to the rear and to either side, in m."""

    front: float
    rear: float
    side: float

    def outline(self, pose: WorldPose) -> list[Segment]:
        """Return the four sides of the rectangle at `pose`, in the world's frame."""
        length, shift = self.front + self.rear, (self.front - self.rear) / 2
        return box(*pose.place(shift, 0.0), length, 2 * self.side, pose.heading)

    def part(self, pose: WorldPose, segment: Segment) -> Segment | None:
        """Return the part of the segment inside the rectangle at `pose`, in its frame; None if there is none."""
        c, s = math.cos(pose.heading), math.sin(pose.heading)
        x1, y1 = segment.x1 - pose.x, segment.y1 - pose.y
        x2, y2 = segment.x2 - pose.x, segment.y2 - pose.y
        ax, ay = c * x1 + s * y1, c * y1 - s * x1
        dx, dy = c * x2 + s * y2 - ax, c * y2 - s * x2 - ay
        # Liang-Barsky: clip the segment's parameter range by each of the four sides.
        start, end = 0.0, 1.0
        sides = ((-dx, ax + self.rear), (dx, self.front - ax), (-dy, ay + self.side), (dy, self.side - ay))
        for towards, room in sides:
            if towards < 0.0:
                start = max(start, room / towards)
            elif towards > 0.0:
                end = min(end, room / towards)
            elif room < 0.0:
                return None
        return Segment(ax + start * dx, ay + start * dy, ax + end * dx, ay + end * dy) if start <= end else None


#: Returns the outlines of the other robots near x, y within a distance (all in m), and perhaps more.
OtherRobots = Callable[[float, float, float], list[Segment]]
#: The corners of a polygon.
Area = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class World:
    """Segments, the robot's start, and areas without a floor."""

    name: str
    segments: tuple[Segment, ...] = ()
    start: WorldPose = WorldPose(0.0, 0.0)
    drops: tuple[Area, ...] = ()

    def has_floor(self, x: float, y: float) -> bool:
        """Return whether there is floor at a point (m)."""
        return not any(encloses(polygon(area), x, y) for area in self.drops)

    def cast(self, x: float, y: float, heading: float) -> float:
        """Return the distance in m at which a ray from x, y (m) hits the nearest segment; inf for none."""
        return first_hit(self.segments, x, y, heading)[0]

    def encloses(self, pose: WorldPose) -> bool:
        """Return whether a wall is in each of many directions from a pose."""
        return all(math.isfinite(self.cast(pose.x, pose.y, math.radians(angle))) for angle in range(0, 360, 5))


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
            reach = self._distance + _NEIGHBORHOOD
            self._walls = [segment for segment in world.segments if segment.distance_to(x, y) <= reach]
        return self._walls + find(x, y, self._distance) if find else self._walls


def first_hit(segments: Iterable[Segment], x: float, y: float, heading: float) -> tuple[float, Segment | None]:
    """Find the segment that a ray hits first.

    Args:
        segments: Those that the ray may hit.
        x: Start of the ray in m.
        y: Start of the ray in m.
        heading: Direction of the ray in rad.

    Returns:
        The distance in m and the segment; inf and None if the ray hits no segment.
    """
    dx, dy = math.cos(heading), math.sin(heading)
    nearest, found = math.inf, None
    for segment in segments:
        x1, y1, x2, y2 = segment
        ex, ey = x2 - x1, y2 - y1
        across = dx * ey - dy * ex
        if across == 0.0:
            continue
        rx, ry = x1 - x, y1 - y
        distance = (rx * ey - ry * ex) / across
        if 0.0 <= distance < nearest and 0.0 <= (rx * dy - ry * dx) / across <= 1.0:
            nearest, found = distance, segment
    return nearest, found


def encloses(outline: Iterable[Segment], x: float, y: float) -> bool:
    """Return whether a point (m) is inside of a closed outline."""
    # A ray from the point to the right crosses it an odd number of times.
    crossings = 0
    for x1, y1, x2, y2 in outline:
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            crossings += 1
    return crossings % 2 == 1


def polyline(points: Sequence[tuple[float, float]]) -> list[Segment]:
    """Return the segments from each point to the next, in m."""
    return [Segment(*a, *b) for a, b in pairwise(points)]


def polygon(points: Sequence[tuple[float, float]]) -> list[Segment]:
    """Return the segments of a closed outline, in m."""
    return polyline([*points, points[0]])


def box(x: float, y: float, length: float, width: float, heading: float = 0.0) -> list[Segment]:
    """Return the segments of a rectangle.

    Args:
        x: Center in m.
        y: Center in m.
        length: Side along `heading` in m.
        width: Other side in m.
        heading: Direction in rad.
    """
    place, a, b = WorldPose(x, y, heading).place, length / 2, width / 2
    return polygon([place(a, b), place(-a, b), place(-a, -b), place(a, -b)])


def circle(x: float, y: float, radius: float, corners: int = 12) -> list[Segment]:
    """Return the segments of a regular polygon around a circle.

    Args:
        x: Center in m.
        y: Center in m.
        radius: Radius of the circle in m.
        corners: Number of corners.
    """
    outer = radius / math.cos(math.pi / corners)
    angles = (2 * math.pi * i / corners for i in range(corners))
    return polygon([(x + outer * math.cos(a), y + outer * math.sin(a)) for a in angles])


def blocked(footprint: Footprint, pose: WorldPose, segments: Iterable[Segment]) -> bool:
    """Return whether a body with this footprint at this pose would overlap a wall."""
    return any(footprint.part(pose, segment) for segment in segments)
