# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Converts ARIA parameter files (`.p`, AmigoBot manual app. B) to the structure of a profile file.

Each line is `Keyword value ... ; comment`; sections have headings. Keywords that the driver does not need, such as the
position of a laser, are listed as unused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..wording import wrong_type

#: Group and key in a profile file for each keyword. Lengths are in mm, angles in degrees.
_NUMBERS = {
    "AngleConvFactor": ("units", "angle"),
    "DistConvFactor": ("units", "distance_mm"),
    "VelConvFactor": ("units", "velocity_mm_s"),
    "RangeConvFactor": ("units", "range_mm"),
    "Vel2Divisor": ("units", "wheel_velocity_mm_s"),
    "RobotWidth": ("body", "width_mm"),
    "RobotLength": ("body", "length_mm"),
    "RobotLengthFront": ("body", "front_mm"),
    "RobotLengthRear": ("body", "rear_mm"),
    "MaxVelocity": ("limits", "linear_mm_s"),
    "MaxRVelocity": ("limits", "angular_deg_s"),
}
_TEXTS = {"Class": "robot_class", "Subclass": "subclass"}
_HEADINGS = ("ConfigVersion", "Section")

#: rad per unit of heading. The files round it to 0.00153 or 0.001534, an error of up to a degree per turn
#: (docs/protocol E-18).
_EXACT_ANGLE = math.tau / 4096


class AriaError(ValueError):
    """A line cannot be read. The message has its number."""


@dataclass(slots=True)
class AriaFile:
    """A parsed file. `content` has the keys of a profile file; `unused` lists ignored keywords.

    `diff_conv` is DiffConvFactor, 0 if missing (docs/protocol 6.1).
    """

    robot_class: str = "Pioneer"
    subclass: str = ""
    diff_conv: float = 0.0
    content: dict[str, Any] = field(default_factory=dict)
    unused: tuple[str, ...] = ()


def read_aria(text: str) -> AriaFile:
    """Parse the text of a parameter file.

    Raises:
        AriaError: A line cannot be read.
    """
    file = AriaFile()
    sonars: dict[int, list[float]] = {}
    count: int | None = None
    unused: dict[str, None] = {}
    for line, keyword, words in _lines(text):
        if keyword in _TEXTS:
            setattr(file, _TEXTS[keyword], words[0] if words else "")
        elif keyword in _NUMBERS:
            group, key = _NUMBERS[keyword]
            file.content.setdefault(group, {})[key] = _number(line, keyword, words)
        elif keyword == "DiffConvFactor":
            file.diff_conv = _number(line, keyword, words)
        elif keyword == "SonarNum":
            count = round(_number(line, keyword, words))
        elif keyword == "SonarUnit":
            if len(words) < 4:
                given = " ".join(words)
                expected = "a number, x and y in mm, and a heading in degrees"
                raise AriaError(wrong_type(f"line {line}: SonarUnit", given, expected))
            number, *pose = (_number(line, keyword, [word]) for word in words[:4])
            sonars[round(number)] = pose
        elif keyword not in _HEADINGS:
            unused[keyword] = None
    _correct(file.content)
    if sonars or count is not None:
        file.content["sonar"] = {"poses": _poses(sonars, len(sonars) if count is None else count)}
    file.unused = tuple(unused)
    return file


def _lines(text: str) -> Iterator[tuple[int, str, list[str]]]:
    for line, content in enumerate(text.splitlines(), 1):
        words = content.partition(";")[0].split()
        if words and not words[0].startswith("#"):
            yield line, words[0], words[1:]


def _number(line: int, keyword: str, words: list[str]) -> float:
    try:
        value = float(words[0])
    except (IndexError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise AriaError(wrong_type(f"line {line}: {keyword}", " ".join(words), "a number"))
    return value


def _correct(content: dict[str, Any]) -> None:
    units, body = content.get("units", {}), content.get("body", {})
    if "angle" in units and math.isclose(units["angle"], _EXACT_ANGLE, rel_tol=0.005):
        units["angle"] = _EXACT_ANGLE
    # In ARIA, zero means half of the length.
    for key in ("front_mm", "rear_mm"):
        if "length_mm" in body and not body.get(key):
            body[key] = body["length_mm"] / 2


def _poses(sonars: dict[int, list[float]], count: int) -> list[list[float]]:
    """Return sonars 0 to count - 1. The last ones may be missing; a gap raises AriaError."""
    placed = [number for number in sorted(sonars) if number < count]
    if placed != list(range(len(placed))):
        missing = next(number for number in range(count) if number not in sonars)
        raise AriaError(f"SonarNum is {count}, but SonarUnit {missing} is missing: add it or lower SonarNum")
    return [sonars[number] for number in placed]
