# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""This project's world files: walls and furniture as shapes, in meters (docs/explanation/simulator.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...wording import counted
from ..world import Segment, WorldPose, box, circle, polygon, polyline
from .plan import MAX_SEGMENTS, POSE_UNITS, FloorPlan, WorldError, check_keys, items, number, numbers

#: x and y, or length and width
_METERS = ("m", "m")


def read(content: dict[Any, Any], where: str) -> FloorPlan:
    """Read a world.

    Args:
        content: The mapping of the YAML file.
        where: Path of the file, for error messages.

    Raises:
        WorldError: A key or value is not allowed.
    """
    check_keys(content, ("description", "start", *_SHAPES, "drops"), where)
    plan = FloorPlan()
    for key, shape in _SHAPES.items():
        for index, item in enumerate(items(content.get(key, []), f"{where}: {key}")):
            place = f"{where}: {key}[{index}]"
            plan.add(shape(item, place), place)
    plan.drops = [
        tuple(_area(item, f"{where}: drops[{index}]"))
        for index, item in enumerate(items(content.get("drops", []), f"{where}: drops"))
    ]
    if "start" in content:
        x, y, heading = numbers(content["start"], POSE_UNITS, f"{where}: start")
        plan.start = WorldPose(x, y, math.radians(heading))
    return plan


def _points(item: Any, where: str) -> list[tuple[float, float]]:
    points = [numbers(point, _METERS, where) for point in items(item, where)]
    if len(points) < 2:
        raise WorldError(f"{where} has {counted(len(points), 'point')}, allowed: at least 2")
    return [(x, y) for x, y in points]


def _area(item: Any, where: str) -> list[tuple[float, float]]:
    points = _points(item, where)
    if not 3 <= len(points) <= MAX_SEGMENTS:
        raise WorldError(f"{where} has {counted(len(points), 'point')}, allowed: 3 to {MAX_SEGMENTS}")
    return points


def _wall(item: Any, where: str) -> list[Segment]:
    return polyline(_points(item, where))


def _room(item: Any, where: str) -> list[Segment]:
    return polygon(_points(item, where))


def _box(item: Any, where: str) -> list[Segment]:
    check_keys(item, ("at", "size", "heading"), where, required=("at", "size"))
    x, y = numbers(item["at"], _METERS, f"{where}.at")
    length, width = numbers(item["size"], _METERS, f"{where}.size")
    return box(x, y, length, width, math.radians(number(item.get("heading", 0), f"{where}.heading", "deg")))


def _circle(item: Any, where: str) -> list[Segment]:
    check_keys(item, ("at", "radius"), where, required=("at", "radius"))
    x, y = numbers(item["at"], _METERS, f"{where}.at")
    radius = number(item["radius"], f"{where}.radius", "m")
    if radius <= 0:
        raise WorldError(f"{where}.radius is {radius:g} m, allowed: above 0 m")
    return circle(x, y, radius)


#: Keys of a world file whose values are lists of shapes.
_SHAPES: dict[str, Callable[[Any, str], list[Segment]]] = {
    "rooms": _room,
    "walls": _wall,
    "boxes": _box,
    "circles": _circle,
}
