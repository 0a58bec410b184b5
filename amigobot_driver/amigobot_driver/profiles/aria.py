# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Converts ARIA parameter files (`.p`, AmigoBot manual app. B) to the structure of a profile file.

Each line is `Keyword value ... ; comment`; sections have headings. Keywords that the driver does not need, such as the
position of a laser, are listed as unused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
_HEADINGS = ("ConfigVersion", "Section")

#: rad per unit of heading. The files round it to 0.00153 or 0.001534, an error of up to a degree per turn
#: (docs/protocol E-18).
_EXACT_ANGLE = math.tau / 4096


class AriaError(ValueError):
    """A line cannot be read. The message has its number."""


def read_aria(text: str) -> tuple[dict[str, Any], float]:
    """Parse the text of a parameter file.

    Returns:
        What it has of a profile file, with a robot_class and the name of one subclass; and DiffConvFactor, 0 if missing
        (docs/protocol 6.1).

    Raises:
        AriaError: A line cannot be read.
    """
    content: dict[str, Any] = {"robot_class": "Pioneer", "subclasses": [""]}
    diff_conv, sonars = 0.0, dict[int, list[float]]()
    count: int | None = None
    unused: dict[str, None] = {}
    for line, keyword, words in _lines(text):
        if keyword == "Class":
            content["robot_class"] = "".join(words[:1])
        elif keyword == "Subclass":
            content["subclasses"] = ["".join(words[:1]).lower()]
        elif keyword in _NUMBERS:
            group, key = _NUMBERS[keyword]
            content.setdefault(group, {})[key] = _number(line, keyword, words)
        elif keyword == "DiffConvFactor":
            diff_conv = _number(line, keyword, words)
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
    _correct(content)
    if sonars or count is not None:
        content["sonar"] = {"poses": _poses(sonars, len(sonars) if count is None else count)}
    return {**content, "unused": list(unused)}, diff_conv


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
