"""What every reader makes of its file, and how far any of them goes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..world import Area, Pose, Segment

#: Each sonar ping looks at every segment once.
MAX_SEGMENTS = 5_000
#: m; further out, a robot's counters have wrapped dozens of times and the file is in other units.
MAX_COORDINATE = 1_000.0
#: bytes; reading YAML takes long
_MAX_YAML = 200_000


class WorldError(ValueError):
    """A world that cannot be used; the message names the file, the place and what is allowed."""


@dataclass(slots=True)
class Plan:
    """Walls, where a robot starts, and areas without a floor."""

    segments: list[Segment] = field(default_factory=list)
    start: Pose = field(default_factory=lambda: Pose(0.0, 0.0))
    drops: list[Area] = field(default_factory=list)

    def add(self, segments: Iterable[Segment], where: str) -> None:
        """More walls. Raises WorldError when they become too many."""
        for segment in segments:
            if len(self.segments) >= MAX_SEGMENTS:
                raise WorldError(f"{where}: more than {MAX_SEGMENTS} line segments")
            self.segments.append(segment)


def parse_pose(text: str) -> Pose:
    """A pose from X,Y,DEGREES. Raises WorldError."""
    try:
        x, y, heading = (number(float(word), "start") for word in text.split(","))
    except ValueError:
        raise WorldError(f"start {text!r:.60}: X,Y,DEGREES is needed, X and Y in m") from None
    return Pose(x, y, math.radians(heading))


def read_bytes(path: Path, limit: int) -> bytes:
    """A whole file of at most `limit` bytes. Raises WorldError."""
    try:
        if path.stat().st_size > limit:
            raise WorldError(f"{path}: too long for a world, more than {limit} bytes")
        return path.read_bytes()
    except OSError as error:
        raise WorldError(f"{path}: cannot be read ({error.strerror})") from None


def read_text(path: Path, limit: int) -> str:
    """The same as text."""
    try:
        return read_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorldError(f"{path}: cannot be read ({error})") from None


def parse_yaml(path: Path) -> dict[Any, Any]:
    """The mapping in a YAML file; an empty file is an empty one. Raises WorldError."""
    try:
        content = yaml.safe_load(read_text(path, _MAX_YAML))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, WorldError):
            raise
        raise WorldError(f"{path}: no YAML ({' '.join(str(error).split())})") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise WorldError(f"{path}: {content!r:.60}, a mapping of keys to values is needed")
    return content


def check_keys(item: Any, allowed: Iterable[str], where: str, required: Iterable[str] = ()) -> None:
    """Whether an item is a mapping with these keys. Raises WorldError."""
    allowed = tuple(allowed)
    if not isinstance(item, dict):
        raise WorldError(f"{where}: {item!r:.60}, a mapping with the keys {', '.join(allowed)} is needed")
    for key in item:
        if key not in allowed:
            raise WorldError(f"{where}: key {key!r:.60} is not known, allowed: {', '.join(allowed)}")
    for key in required:
        if key not in item:
            raise WorldError(f"{where}: key {key!r} is missing")


def items(value: Any, where: str) -> list[Any]:
    """A list. Raises WorldError."""
    if not isinstance(value, list):
        raise WorldError(f"{where}: {value!r:.60}, a list is needed")
    return value


def numbers(value: Any, count: int, where: str) -> list[float]:
    """So many numbers. Raises WorldError."""
    if not isinstance(value, list) or len(value) != count:
        raise WorldError(f"{where}: {value!r:.60}, a list of {count} numbers is needed")
    return [number(item, where) for item in value]


def number(value: Any, where: str) -> float:
    """A number that can be a coordinate or an angle. Raises WorldError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        raise WorldError(f"{where}: {value!r:.60}, a number up to {MAX_COORDINATE:g} is needed")
    return float(value)
