# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a robot touches: rings of contact switches around its body, and infrared sensors that look for the floor."""

from __future__ import annotations

import math

from .body import SimulatedBody
from .world import Footprint

#: rad, angle that the segments of one ring cover (as in ARIA)
_RANGE = math.radians(135)
#: m by which the ring projects from the body
_REACH = 0.005


def detects_floor(body: SimulatedBody, number: int) -> bool:
    """Return whether there is floor under a sensor; always true for a sensor that the robot does not have.

    Args:
        body: Carries the sensors of its profile: left, right (Erratic manual 5.6.3).
        number: Number of the sensor, from 0.
    """
    poses = body.profile.floor.poses
    if number in body.faults.no_floor:
        return False
    if number >= len(poses):
        return True
    x, y = body.pose.place(poses[number].x, poses[number].y)
    return not body.lifted and body.scene.world.has_floor(x, y)


class BumperRings:
    """Finds the pressed segments. Segment 0 is the leftmost in front, the rightmost behind.

    Source: docs/protocol 5.2, E-31; positions as in ARIA's ArBumpers.
    """

    def __init__(self, body: SimulatedBody) -> None:
        self._body, rings, shape = body, body.profile.bumpers, body.footprint
        self._front, self._rear = rings.front_segments, rings.rear_segments
        self._ring = Footprint(shape.front + _REACH, shape.rear + _REACH, shape.side + _REACH)

    def pressed(self) -> tuple[int, int]:
        """Return the pressed segments of the front and of the rear ring, bit 0 for segment 0."""
        front = rear = 0
        if not self._front and not self._rear:
            return front, rear
        for wall in self._body.walls_around():
            piece = self._ring.part(self._body.pose, wall)
            if piece is not None:
                start, end = self._direction(piece.x1, piece.y1), self._direction(piece.x2, piece.y2)
                front |= _segments(start, end, self._front)
                rear |= _segments(_turned(start), _turned(end), self._rear)
        for number in self._body.faults.pressed_bumpers:
            if number < self._front:
                front |= 1 << number
            elif number < self._front + self._rear:
                rear |= 1 << number - self._front
        return front, rear

    def _direction(self, x: float, y: float) -> float:
        """Return the direction (rad) of a point as if the body were a square: its corners are at 45 degrees."""
        ring = self._ring
        return math.atan2(y / ring.side, x / (ring.front if x > 0 else ring.rear))


def _turned(angle: float) -> float:
    return math.remainder(angle + math.pi, math.tau)


def _segments(start: float, end: float, count: int) -> int:
    """Return the bits of the segments that lie at least partly between two directions from the ring's center."""
    low, high = min(start, end), max(start, end)
    if high - low > math.pi:  # the shorter arc is behind the ring
        return _segments(-math.pi, low, count) | _segments(high, math.pi, count)
    width = _RANGE / max(count, 1)
    lefts = (_RANGE / 2 - number * width for number in range(count))
    return sum(1 << number for number, left in enumerate(lefts) if low <= left and high >= left - width)
