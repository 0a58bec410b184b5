"""Reads worlds from files: our own YAML and the line section of ARIA's .map. One table, one reader an ending.

A world file comes from anywhere, so its size and its numbers are limited, and an error names file and key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from ..resources import share
from .world import Pose, Segment, World, box, circle, polygon, polyline

#: Each sonar ping looks at every segment once.
MAX_SEGMENTS = 5_000
#: m; further out, a robot's counters have wrapped dozens of times and the file is in other units.
MAX_COORDINATE = 1_000.0


#: What a file says: walls, and where a robot starts.
Plan = tuple[tuple[Segment, ...], Pose]


class WorldError(ValueError):
    """A world that cannot be used; the message names the file, the key and what is allowed."""


def available_worlds() -> tuple[str, ...]:
    """The names of the worlds that are shipped."""
    return tuple(sorted(path.stem for path in share("config", "worlds").glob("*.yaml")))


def load_world(name: str) -> World:
    """A shipped world by its name, or one from a file by its path. Raises WorldError."""
    path = Path(name)
    if path.suffix.lower() in _READERS:
        limit, reader = _READERS[path.suffix.lower()]
    elif name in available_worlds():
        path = share("config", "worlds") / f"{name}.yaml"
        limit, reader = _READERS[".yaml"]
    else:
        known = ", ".join(available_worlds())
        raise WorldError(f"world {name!r} is not known: give one of {known}, or a file ({', '.join(_READERS)})")
    try:
        if path.stat().st_size > limit:
            raise WorldError(f"{path}: too long for a world, more than {limit} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorldError(f"{path}: cannot be read ({error})") from None
    return World(path.stem, *reader(text, str(path)))


def _append(segments: list[Segment], more: list[Segment], where: str) -> None:
    segments += more
    if len(segments) > MAX_SEGMENTS:
        raise WorldError(f"{where}: more than {MAX_SEGMENTS} line segments")


# --- YAML -------------------------------------------------------------------------------------------------


def _read_yaml(text: str, where: str) -> Plan:
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise WorldError(f"{where}: no YAML ({' '.join(str(error).split())})") from None
    if content is None:
        content = {}
    allowed = ("description", "start", *_SHAPES)
    _check_keys(content, allowed, where)
    segments: list[Segment] = []
    for key, shape in _SHAPES.items():
        for index, item in enumerate(_list(content.get(key, []), f"{where}: {key}")):
            place = f"{where}: {key}[{index}]"
            _append(segments, shape(item, place), place)
    start = Pose(0.0, 0.0)
    if "start" in content:
        x, y, heading = _numbers(content["start"], 3, f"{where}: start")
        start = Pose(x, y, math.radians(heading))
    return tuple(segments), start


def _points(item: Any, where: str) -> list[tuple[float, float]]:
    points = [_numbers(point, 2, where) for point in _list(item, where)]
    if len(points) < 2:
        raise WorldError(f"{where}: at least two points make a line")
    return [(x, y) for x, y in points]


def _wall(item: Any, where: str) -> list[Segment]:
    return polyline(_points(item, where))


def _room(item: Any, where: str) -> list[Segment]:
    return polygon(_points(item, where))


def _box(item: Any, where: str) -> list[Segment]:
    _check_keys(item, ("at", "size", "heading"), where, required=("at", "size"))
    x, y = _numbers(item["at"], 2, f"{where}.at")
    length, width = _numbers(item["size"], 2, f"{where}.size")
    heading = _number(item.get("heading", 0), f"{where}.heading")
    return box(x, y, length, width, math.radians(heading))


def _circle(item: Any, where: str) -> list[Segment]:
    _check_keys(item, ("at", "radius"), where, required=("at", "radius"))
    x, y = _numbers(item["at"], 2, f"{where}.at")
    radius = _number(item["radius"], f"{where}.radius")
    if radius <= 0:
        raise WorldError(f"{where}.radius: {radius}, must be above 0")
    return circle(x, y, radius)


#: Keys of a world file whose values are lists of shapes.
_SHAPES: dict[str, Callable[[Any, str], list[Segment]]] = {
    "rooms": _room,
    "walls": _wall,
    "boxes": _box,
    "circles": _circle,
}


def _check_keys(item: Any, allowed: tuple[str, ...], where: str, required: tuple[str, ...] = ()) -> None:
    if not isinstance(item, dict):
        raise WorldError(f"{where}: {item!r:.60}, a mapping with the keys {', '.join(allowed)} is needed")
    for key in item:
        if key not in allowed:
            raise WorldError(f"{where}: key {key!r:.60} is not known, allowed: {', '.join(allowed)}")
    for key in required:
        if key not in item:
            raise WorldError(f"{where}: key {key!r} is missing")


def _list(item: Any, where: str) -> list[Any]:
    if not isinstance(item, list):
        raise WorldError(f"{where}: {item!r:.60}, a list is needed")
    return item


def _numbers(item: Any, count: int, where: str) -> list[float]:
    if not isinstance(item, list) or len(item) != count:
        raise WorldError(f"{where}: {item!r:.60}, a list of {count} numbers is needed")
    return [_number(value, where) for value in item]


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        raise WorldError(f"{where}: {value!r:.60}, a number up to {MAX_COORDINATE:g} is needed")
    return float(value)


# --- ARIA .map --------------------------------------------------------------------------------------------


def _read_map(text: str, where: str) -> Plan:
    """The LINES section (mm) and the first home pose of an ARIA map; other marks are passed over."""
    segments: list[Segment] = []
    start = None
    section = "header"
    for number, line in _lines(text):
        words = line.split()
        if words[0] in ("LINES", "DATA"):
            section = words[0]
        elif section == "LINES":
            x1, y1, x2, y2 = _millimetres(words, 4, f"{where}: line {number}")
            _append(segments, [Segment(x1, y1, x2, y2)], f"{where}: line {number}")
        elif words[:2] in (["Cairn:", "RobotHome"], ["Cairn:", "Dock"]) and start is None:
            x, y = _millimetres(words[2:4], 2, f"{where}: line {number}")
            heading = _float(words[4] if len(words) > 4 else "0", f"{where}: line {number}")
            start = Pose(x, y, math.radians(heading))
    if not segments:
        raise WorldError(f"{where}: no LINES section with walls in it")
    return tuple(segments), start or Pose(0.0, 0.0)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())


def _millimetres(words: list[str], count: int, where: str) -> list[float]:
    if len(words) != count:
        raise WorldError(f"{where}: {count} coordinates in mm are needed, got {' '.join(words)!r:.60}")
    return [_number(_float(word, where) / 1000, where) for word in words]


def _float(word: str, where: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise WorldError(f"{where}: {word!r:.60} is no number") from None


#: By the ending of the file: the bytes it may have, and what turns its text, and its name for errors, into a
#: plan. Reading YAML takes long, and the points in a map's DATA section are many.
_READERS: dict[str, tuple[int, Callable[[str, str], Plan]]] = {
    ".yaml": (200_000, _read_yaml),
    ".yml": (200_000, _read_yaml),
    ".map": (20_000_000, _read_map),
}
