# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""ARIA's .map files: the LINES section and the first home pose, in millimeters; other content is ignored."""

from __future__ import annotations

import math
from pathlib import Path

from ...wording import wrong_type
from ..world import Segment, World, WorldPose
from .checks import WorldError, limited, numbers, read_bytes

_HOMES = (["Cairn:", "RobotHome"], ["Cairn:", "Dock"])


def read(path: Path) -> World:
    """Read a map file.

    Raises:
        WorldError: The file cannot be read, or has no walls.
    """
    walls: list[Segment] = []
    home, section = None, "header"
    for index, line in enumerate(read_bytes(path).decode("utf-8", "replace").splitlines(), 1):
        words, where = line.split(), f"{path}: line {index}"
        if words[:1] in (["LINES"], ["DATA"]):
            section = words[0]
        elif section == "LINES" and words:
            walls.append(Segment(*_numbers(words, 4, 1e-3, where)))
        elif words[:2] in _HOMES and home is None:
            x, y = _numbers(words[2:4], 2, 1e-3, where)
            (heading,) = _numbers(words[4:5] or ["0"], 1, 1.0, where)
            home = WorldPose(x, y, math.radians(heading))
    if not walls:
        raise WorldError(f"{path}: no LINES section with walls in it")
    return World(path.stem, limited(walls, str(path)), home or WorldPose(0.0, 0.0))


def _numbers(words: list[str], count: int, unit: float, where: str) -> list[float]:
    try:
        return numbers([unit * float(word) for word in words], count)
    except ValueError:
        raise WorldError(wrong_type(where, " ".join(words), f"{count} numbers in mm, or in degrees")) from None
