# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""This project's world files: walls and furniture as shapes, in meters (docs/explanation/simulator.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...wording import wrong_type
from ..world import Area, Segment, WorldPose, box, circle, polygon, polyline
from .plan import FloorPlan, WorldError, check_keys, numbers


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
    for key, (shape, form) in _SHAPES.items():
        for item in _items(content, key, where):
            plan.add(_made(shape, item, f"{where}: {key}", form), where)
    plan.drops = [
        _made(_area, item, f"{where}: drops", "a list of 3 or more [x, y]") for item in _items(content, "drops", where)
    ]
    if "start" in content:
        x, y, heading = _made(lambda pose: numbers(pose, 3), content["start"], f"{where}: start", "[x, y, heading]")
        plan.start = WorldPose(x, y, math.radians(heading))
    return plan


def _items(content: dict[Any, Any], key: str, where: str) -> list[Any]:
    items = content.get(key, [])
    if not isinstance(items, list):
        raise WorldError(wrong_type(f"{where}: {key}", items, "a list"))
    return items


def _made(make: Callable[[Any], Any], item: Any, where: str, form: str) -> Any:
    try:
        return make(item)
    except (TypeError, ValueError):
        raise WorldError(wrong_type(where, item, f"{form}, in m and degrees")) from None


def _points(item: Any, least: int) -> Area:
    points = tuple((x, y) for x, y in (numbers(point, 2) for point in item))
    if len(points) < least:
        raise ValueError
    return points


def _area(item: Any) -> Area:
    return _points(item, 3)


def _box(at: Any, size: Any, heading: Any = 0) -> list[Segment]:
    (x, y), (length, width), (degrees,) = numbers(at, 2), numbers(size, 2), numbers([heading], 1)
    return box(x, y, length, width, math.radians(degrees))


def _circle(at: Any, radius: Any) -> list[Segment]:
    (x, y), (checked,) = numbers(at, 2), numbers([radius], 1)
    if checked <= 0:
        raise ValueError
    return circle(x, y, checked)


#: Keys of a world file whose values are lists of shapes: what makes one of them, and its form. It raises TypeError or
#: ValueError for another form.
_SHAPES: dict[str, tuple[Callable[[Any], list[Segment]], str]] = {
    "rooms": (lambda item: polygon(_points(item, 2)), "a list of 2 or more [x, y]"),
    "walls": (lambda item: polyline(_points(item, 2)), "a list of 2 or more [x, y]"),
    "boxes": (lambda item: _box(**item), "at: [x, y], size: [length, width], heading"),
    "circles": (lambda item: _circle(**item), "at: [x, y], radius (above 0)"),
}
