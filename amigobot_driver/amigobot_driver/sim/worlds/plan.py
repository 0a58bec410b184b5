# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The common result of all readers of world files, and the limits of a file's content."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..world import Area, Segment, WorldPose

#: Each sonar ping checks every segment once.
MAX_SEGMENTS = 5_000
#: m; larger coordinates mean that a file is in other units
MAX_COORDINATE = 1_000.0
#: bytes; parsing YAML is slow
_MAX_YAML = 200_000


class WorldError(ValueError):
    """A world cannot be used; the message names the file, the place and what is allowed."""


@dataclass(slots=True)
class FloorPlan:
    """Walls, the robot's start, and areas without a floor."""

    segments: list[Segment] = field(default_factory=list)
    start: WorldPose = field(default_factory=lambda: WorldPose(0.0, 0.0))
    drops: list[Area] = field(default_factory=list)

    def add(self, segments: Iterable[Segment], where: str) -> None:
        """Add walls.

        Args:
            segments: The walls.
            where: Place in the file, for error messages.

        Raises:
            WorldError: There are too many segments.
        """
        for segment in segments:
            if len(self.segments) >= MAX_SEGMENTS:
                raise WorldError(f"{where}: more than {MAX_SEGMENTS} line segments")
            self.segments.append(segment)


def parse_pose(text: str) -> WorldPose:
    """Read a pose from X,Y,DEGREES.

    Raises:
        WorldError: The text has another form, or a number is too large.
    """
    try:
        x, y, heading = (number(float(word), "start") for word in text.split(","))
    except ValueError:
        raise WorldError(f"start {text!r:.60}: X,Y,DEGREES is needed, X and Y in m") from None
    return WorldPose(x, y, math.radians(heading))


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a whole file.

    Args:
        path: The file.
        limit: Largest allowed size in bytes.

    Raises:
        WorldError: The file cannot be read, or is too large.
    """
    try:
        if path.stat().st_size > limit:
            raise WorldError(f"{path}: too long for a world, more than {limit} bytes")
        return path.read_bytes()
    except OSError as error:
        raise WorldError(f"{path}: cannot be read ({error.strerror})") from None


def read_text(path: Path, limit: int) -> str:
    """Read a whole UTF-8 file.

    Args:
        path: The file.
        limit: Largest allowed size in bytes.

    Raises:
        WorldError: The file cannot be read, or is too large.
    """
    try:
        return read_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorldError(f"{path}: cannot be read ({error})") from None


def parse_yaml(path: Path) -> dict[Any, Any]:
    """Read the mapping in a YAML file; an empty file is an empty mapping.

    Raises:
        WorldError: The file cannot be read, is not YAML, or has no mapping.
    """
    try:
        content = yaml.safe_load(read_text(path, _MAX_YAML))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, WorldError):
            raise
        raise WorldError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise WorldError(f"{path}: {content!r:.60}, a mapping of keys to values is needed")
    return content


def check_keys(item: Any, allowed: Iterable[str], where: str, required: Iterable[str] = ()) -> None:
    """Check that an item is a mapping with allowed keys.

    Args:
        item: The item.
        allowed: Keys that it may have.
        where: Place in the file, for error messages.
        required: Keys that it must have.

    Raises:
        WorldError: It is not a mapping, or has other keys.
    """
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
    """Check that a value is a list, and return it.

    Raises:
        WorldError: It is not a list; the message begins with `where`.
    """
    if not isinstance(value, list):
        raise WorldError(f"{where}: {value!r:.60}, a list is needed")
    return value


def numbers(value: Any, count: int, where: str) -> list[float]:
    """Check that a value is a list of `count` numbers, and return it.

    Raises:
        WorldError: It is not; the message begins with `where`.
    """
    if not isinstance(value, list) or len(value) != count:
        raise WorldError(f"{where}: {value!r:.60}, a list of {count} numbers is needed")
    return [number(item, where) for item in value]


def number(value: Any, where: str) -> float:
    """Check that a value is a number in the range of a coordinate or an angle, and return it.

    Raises:
        WorldError: It is not; the message begins with `where`.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        raise WorldError(f"{where}: {value!r:.60}, a number up to {MAX_COORDINATE:g} is needed")
    return float(value)
