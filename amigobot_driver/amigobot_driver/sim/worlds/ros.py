# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Maps of ROS (map_server): a YAML file and a PGM picture whose occupied cells become walls.

The walls are the edges between occupied cells and all others; a straight run of edges is one segment. The robot starts
at the origin of the map's coordinates.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...wording import wrong_type
from ..world import Segment, World
from .checks import WorldError, limited, numbers, read_bytes

#: cells; each is read several times
_MAX_CELLS = 4_000_000
#: a PGM's header: format, width, height and white, with comments anywhere between
_HEADER = re.compile(rb"(P[25])" + rb"(?:\s|#[^\n]*\n)+(\d{1,6})" * 3 + rb"\s")

#: A row of cells, 1 for occupied.
_Row = list[int]


def read(content: dict[Any, Any], path: Path) -> World:
    """Read a map.

    Args:
        content: The mapping of the YAML file.
        path: Path of the YAML file; the path of the picture is relative to it.

    Raises:
        WorldError: A value is not allowed, or the picture cannot be read.
    """
    image, where = content["image"], str(path)
    if not isinstance(image, str):
        raise WorldError(wrong_type(f"{where}: image", image, "the name of a .pgm file"))
    try:
        resolution, threshold = numbers([content["resolution"], content.get("occupied_thresh", 0.65)], 2)
        x, y, yaw = numbers(content.get("origin", [0, 0, 0]), 3)
    except ValueError:
        raise WorldError(f"{where}: resolution, origin or occupied_thresh is not a number, or too large") from None
    if resolution <= 0:
        raise WorldError(f"{where}: resolution is {resolution:g} m, allowed: above 0 m")
    cells = _occupied(path.parent / image, threshold, negate=bool(content.get("negate", 0)))
    c, s = math.cos(yaw) * resolution, math.sin(yaw) * resolution
    edges = (
        Segment(x + c * x1 - s * y1, y + s * x1 + c * y1, x + c * x2 - s * y2, y + s * x2 + c * y2)
        for x1, y1, x2, y2 in _edges(cells)
    )
    return World(path.stem, limited(edges, where))


def _occupied(path: Path, threshold: float, *, negate: bool) -> list[_Row]:
    """Return the cells of a picture, the lowest row first."""
    data = read_bytes(path)
    header = _HEADER.match(data)
    if header is None:
        raise WorldError(f"{path}: not a PGM picture (P2 or P5)")
    width, height, white = (int(group) for group in header.groups()[1:])
    if not 0 < width * height <= _MAX_CELLS or not 0 < white < 256:
        found = f"the picture has {width} x {height} cells with values up to {white}"
        raise WorldError(f"{path}: {found}, allowed: 1 to {_MAX_CELLS} cells with values up to 255")
    body = data[header.end() :]
    try:
        values = body if header[1] == b"P5" else bytes(int(word) for word in body.split())
    except ValueError:
        raise WorldError(f"{path}: a P2 picture has only numbers up to {white}") from None
    if len(values) < width * height:
        raise WorldError(f"{path}: the picture ends after {len(values)} of {width * height} cells")
    dark = bytes((value if negate else white - value) / white > threshold for value in range(white + 1))
    grid = values[: width * height].translate(dark.ljust(256, b"\0"))
    return [list(grid[row * width : (row + 1) * width]) for row in reversed(range(height))]


def _edges(cells: list[_Row]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the borders of the occupied cells as x1, y1, x2, y2 in cells."""
    for y, x1, x2 in _runs(cells):
        yield x1, y, x2, y
    for x, y1, y2 in _runs([list(column) for column in zip(*cells, strict=True)]):
        yield x, y1, x, y2


def _runs(rows: list[_Row]) -> Iterator[tuple[int, int, int]]:
    """Yield the runs in which neighboring rows differ, the outside included: row, first cell, end."""
    nothing = [0] * len(rows[0])
    for index, (below, above) in enumerate(zip([nothing, *rows], [*rows, nothing], strict=True)):
        if below == above:
            continue
        end = 0
        for differ, cells in itertools.groupby(map(operator.ne, below, above)):
            begin, end = end, end + len(list(cells))
            if differ:
                yield index, begin, end
