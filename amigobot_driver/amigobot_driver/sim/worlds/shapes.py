# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""This project's world files: walls and furniture as shapes, in meters (docs/explanation/simulator.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...wording import wrong_type
from ..world import Area, Segment, World, box, circle, polygon, polyline
from .checks import WorldError, check_keys, limited, numbers, pose


def read(content: dict[Any, Any], path: Path) -> World:
    """Read a world.

    Args:
        content: The mapping of the YAML file.
        path: Path of the YAML file.

    Raises:
        WorldError: A key or value is not allowed.
    """
    where = str(path)
    check_keys(content, ("description", "start", *_SHAPES), where)
    made = {
        key: [_made(make, item, f"{where}: {key}", form) for item in _items(content, key, where)]
        for key, (make, form) in _SHAPES.items()
    }
    start = _made(pose, content.get("start", [0, 0, 0]), f"{where}: start", "[x, y, heading]")
    drops = tuple(made.pop("drops"))
    walls = (segment for shapes in made.values() for shape in shapes for segment in shape)
    return World(path.stem, limited(walls, where), start, drops)


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
_SHAPES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "rooms": (lambda item: polygon(_points(item, 2)), "a list of 2 or more [x, y]"),
    "walls": (lambda item: polyline(_points(item, 2)), "a list of 2 or more [x, y]"),
    "boxes": (lambda item: _box(**item), "at: [x, y], size: [length, width], heading"),
    "circles": (lambda item: _circle(**item), "at: [x, y], radius (above 0)"),
    "drops": (lambda item: _points(item, 3), "a list of 3 or more [x, y]"),
}
