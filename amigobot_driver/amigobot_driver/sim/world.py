"""The place a robot drives in: walls and furniture as line segments, seen from above. Metres and radians."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Pose:
    """Where something is and which way it points, in the world's frame."""

    x: float
    y: float
    heading: float = 0.0


class Segment(NamedTuple):
    """A piece of wall from (x1, y1) to (x2, y2)."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def angle(self) -> float:
        """The direction it runs in, rad."""
        return math.atan2(self.y2 - self.y1, self.x2 - self.x1)

    def hit_by(self, x: float, y: float, dx: float, dy: float) -> float:
        """How far the ray from (x, y) along the unit vector (dx, dy) goes until it hits; inf for never."""
        ex, ey = self.x2 - self.x1, self.y2 - self.y1
        across = dx * ey - dy * ex
        if across == 0.0:
            return math.inf
        rx, ry = self.x1 - x, self.y1 - y
        along = (rx * dy - ry * dx) / across
        distance = (rx * ey - ry * ex) / across
        return distance if distance >= 0.0 and 0.0 <= along <= 1.0 else math.inf

    def distance_to(self, x: float, y: float) -> float:
        """From the point (x, y) to the nearest point of the segment."""
        ex, ey = self.x2 - self.x1, self.y2 - self.y1
        square = ex * ex + ey * ey
        along = ((x - self.x1) * ex + (y - self.y1) * ey) / square if square else 0.0
        along = min(1.0, max(0.0, along))
        return math.hypot(self.x1 + along * ex - x, self.y1 + along * ey - y)


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle around the axle's middle: how far it reaches forward, back and to either side."""

    front: float
    rear: float
    side: float

    @property
    def radius(self) -> float:
        """Of the circle that the corners sweep when it turns."""
        return math.hypot(max(self.front, self.rear), self.side)

    def touches(self, pose: Pose, segment: Segment) -> bool:
        """Whether the segment crosses or lies in the rectangle when that stands at `pose`."""
        return self._within(*_seen_from(pose, segment)) is not None

    def part(self, pose: Pose, segment: Segment) -> Segment | None:
        """The part of the segment that lies in the rectangle at `pose`, as seen from there; None where none does."""
        seen = _seen_from(pose, segment)
        shares = self._within(*seen)
        if shares is None:
            return None
        ax, ay, dx, dy = seen
        start, end = shares
        return Segment(ax + start * dx, ay + start * dy, ax + end * dx, ay + end * dy)

    def _within(self, ax: float, ay: float, dx: float, dy: float) -> tuple[float, float] | None:
        """From which to which share of its way the line from (ax, ay) by (dx, dy) is inside."""
        # Liang-Barsky: clip the segment's parameter range by each of the four sides.
        start, end = 0.0, 1.0
        sides = ((-dx, ax + self.rear), (dx, self.front - ax), (-dy, ay + self.side), (dy, self.side - ay))
        for towards, room in sides:
            if towards == 0.0:
                if room < 0.0:
                    return None
            elif towards < 0.0:
                start = max(start, room / towards)
            else:
                end = min(end, room / towards)
        return (start, end) if start <= end else None


def _seen_from(pose: Pose, segment: Segment) -> tuple[float, float, float, float]:
    """Where a segment starts and how far it goes, in the frame of something at `pose`."""
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    x1, y1 = segment.x1 - pose.x, segment.y1 - pose.y
    x2, y2 = segment.x2 - pose.x, segment.y2 - pose.y
    ax, ay = c * x1 + s * y1, c * y1 - s * x1
    return ax, ay, c * x2 + s * y2 - ax, c * y2 - s * x2 - ay


#: The corners of a polygon.
Area = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class World:
    """Segments, where a robot starts, and areas without a floor."""

    name: str
    segments: tuple[Segment, ...] = ()
    start: Pose = Pose(0.0, 0.0)
    drops: tuple[Area, ...] = ()

    def has_floor(self, x: float, y: float) -> bool:
        """Whether there is floor at a point: no step goes down there."""
        return not any(_inside(area, x, y) for area in self.drops)

    def cast(self, x: float, y: float, heading: float, reach: float = math.inf) -> float:
        """The distance a ray goes before it meets something, m; inf where that is beyond `reach`."""
        dx, dy = math.cos(heading), math.sin(heading)
        distance = min((segment.hit_by(x, y, dx, dy) for segment in self.segments), default=math.inf)
        return distance if distance <= reach else math.inf

    def in_cone(self, x: float, y: float, heading: float, half_angle: float, reach: float) -> list[Segment]:
        """The segments that a beam, narrower than a half turn, may meet: none is missing, some do not."""
        dx, dy = math.cos(heading), math.sin(heading)
        left_x, left_y = math.cos(heading + half_angle), math.sin(heading + half_angle)
        right_x, right_y = math.cos(heading - half_angle), math.sin(heading - half_angle)
        found = []
        for segment in self.segments:
            ax, ay, bx, by = segment.x1 - x, segment.y1 - y, segment.x2 - x, segment.y2 - y
            a_ahead, b_ahead = ax * dx + ay * dy, bx * dx + by * dy
            if (a_ahead < 0.0 and b_ahead < 0.0) or (a_ahead > reach and b_ahead > reach):
                continue
            if left_x * ay > left_y * ax and left_x * by > left_y * bx:
                continue
            if right_x * ay < right_y * ax and right_x * by < right_y * bx:
                continue
            found.append(segment)
        return found

    def near(self, x: float, y: float, distance: float) -> list[Segment]:
        """The segments within `distance` of a point."""
        return [segment for segment in self.segments if segment.distance_to(x, y) <= distance]


def _inside(area: Area, x: float, y: float) -> bool:
    """Whether a ray from the point to the right crosses the outline an odd number of times."""
    crossings = 0
    for (x1, y1), (x2, y2) in pairwise((*area, area[0])):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            crossings += 1
    return crossings % 2 == 1


def polyline(points: Sequence[tuple[float, float]]) -> list[Segment]:
    """The segments from each point to the next."""
    return [Segment(*a, *b) for a, b in pairwise(points)]


def polygon(points: Sequence[tuple[float, float]]) -> list[Segment]:
    """A closed polyline."""
    return polyline([*points, points[0]])


def box(x: float, y: float, length: float, width: float, heading: float = 0.0) -> list[Segment]:
    """A rectangle about its middle; `length` runs along `heading`."""
    c, s = math.cos(heading), math.sin(heading)
    a, b = length / 2, width / 2
    return polygon([(x + c * u - s * v, y + s * u + c * v) for u, v in ((a, b), (-a, b), (-a, -b), (a, -b))])


def circle(x: float, y: float, radius: float, corners: int = 12) -> list[Segment]:
    """A round thing, as a polygon around it."""
    outer = radius / math.cos(math.pi / corners)
    angles = (2 * math.pi * i / corners for i in range(corners))
    return polygon([(x + outer * math.cos(a), y + outer * math.sin(a)) for a in angles])


def blocked(footprint: Footprint, pose: Pose, segments: Iterable[Segment]) -> bool:
    """Whether a body of that shape at that pose would stand in a wall."""
    return any(footprint.touches(pose, segment) for segment in segments)
