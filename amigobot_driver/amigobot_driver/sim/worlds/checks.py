# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What all readers of world files share: checks of values, and the limits of a file's content."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...wording import wrong_type
from ..fields import OptionError
from ..world import Segment, WorldPose

#: Each sonar ping checks every segment once.
MAX_SEGMENTS = 5_000
#: m or deg; larger coordinates mean that a file is in other units
MAX_COORDINATE = 1_000.0


class WorldError(OptionError):
    """A world cannot be used; the message names the file, the place and what is allowed."""


def limited(segments: Iterable[Segment], where: str) -> tuple[Segment, ...]:
    """Return the walls of a file.

    Args:
        segments: The walls.
        where: Path of the file, for error messages.

    Raises:
        WorldError: There are too many segments.
    """
    walls = tuple(itertools.islice(segments, MAX_SEGMENTS + 1))
    if len(walls) > MAX_SEGMENTS:
        raise WorldError(f"{where}: too many line segments, allowed: up to {MAX_SEGMENTS} in a world")
    return walls


def pose(values: Any) -> WorldPose:
    """Return the pose of a list of X, Y (m) and a heading (degrees).

    Raises:
        ValueError: It is no such list, or a number is too large.
    """
    x, y, heading = numbers(values, 3)
    return WorldPose(x, y, math.radians(heading))


def parse_pose(text: str) -> WorldPose:
    """Read a pose from X,Y,DEGREES.

    Raises:
        WorldError: The text has another form, or a number is too large.
    """
    try:
        return pose([float(word) for word in text.split(",")])
    except ValueError:
        expected = f"X,Y,DEGREES with X and Y in m, each from -{MAX_COORDINATE:g} to {MAX_COORDINATE:g}"
        raise WorldError(wrong_type("start", text, expected)) from None


def read_bytes(path: Path) -> bytes:
    """Read a whole file.

    Raises:
        WorldError: The file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise WorldError(f"{path}: cannot be read ({error.strerror})") from None


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
        raise WorldError(wrong_type(where, item, f"a mapping with the keys {', '.join(allowed)}"))
    for key in item:
        if key not in allowed:
            raise WorldError(f"{where}: key {key!r:.60} is not known, allowed: {', '.join(allowed)}")
    for key in required:
        if key not in item:
            raise WorldError(f"{where}: key {key!r} is missing")


def numbers(values: Any, count: int) -> list[float]:
    """Check the numbers of a place in a file, and return them.

    Raises:
        ValueError: It is no list of so many numbers from -MAX_COORDINATE to MAX_COORDINATE.
    """
    if not isinstance(values, list) or len(values) != count:
        raise ValueError
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
            raise ValueError
    return [float(value) for value in values]
