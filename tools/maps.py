# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write the maps of the simulator's worlds, for Nav2 (.yaml and .pgm) and for ARIA (.map), from config/worlds.

./run python -m tools.maps
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from amigobot_driver.sim import World, available_worlds, load_world

FOLDER = Path(__file__).resolve().parents[1] / "amigobot_navigation" / "maps"
RESOLUTION = 0.05  # m a cell
MARGIN = 0.5  # m around the outermost walls
FREE, UNKNOWN, OCCUPIED = 254, 205, 0  # what Nav2's map server takes them for


class Grid:
    """A world as cells, row 0 at the bottom."""

    def __init__(self, world: World) -> None:
        xs = [x for wall in world.segments for x in (wall.x1, wall.x2)]
        ys = [y for wall in world.segments for y in (wall.y1, wall.y2)]
        self.x, self.y = min(xs) - MARGIN, min(ys) - MARGIN
        self.columns = math.ceil((max(xs) + MARGIN - self.x) / RESOLUTION)
        self.rows = math.ceil((max(ys) + MARGIN - self.y) / RESOLUTION)
        self.cells = bytearray([UNKNOWN]) * (self.columns * self.rows)
        for wall in world.segments:
            # Half a cell a step, so that no gap is left for the filling to leak through.
            steps = math.ceil(math.hypot(wall.x2 - wall.x1, wall.y2 - wall.y1) / RESOLUTION * 2) or 1
            for step in range(steps + 1):
                part = step / steps
                place = self.place(wall.x1 + part * (wall.x2 - wall.x1), wall.y1 + part * (wall.y2 - wall.y1))
                self.cells[place] = OCCUPIED
        self.fill(self.place(world.start.x, world.start.y))

    def place(self, x: float, y: float) -> int:
        row, column = (int(value / RESOLUTION + 1e-9) for value in (y - self.y, x - self.x))
        return row * self.columns + column

    def fill(self, start: int) -> None:
        """Places that can be reached from the start are free; the inside of walls and furniture stays unknown."""
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if self.cells[place] == UNKNOWN:
                self.cells[place] = FREE
                waiting += self.neighbors(place)

    def neighbors(self, place: int) -> Iterator[int]:
        row, column = divmod(place, self.columns)
        if column > 0:
            yield place - 1
        if column < self.columns - 1:
            yield place + 1
        if row > 0:
            yield place - self.columns
        if row < self.rows - 1:
            yield place + self.columns

    def pgm(self) -> bytes:
        rows = [self.cells[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        return b"P5\n%d %d\n255\n" % (self.columns, self.rows) + b"".join(reversed(rows))

    def yaml(self, name: str) -> str:
        return (
            f"image: {name}.pgm\n"
            "mode: trinary\n"
            f"resolution: {RESOLUTION}\n"
            f"origin: [{self.x:g}, {self.y:g}, 0]\n"
            "negate: 0\n"
            "occupied_thresh: 0.65\n"
            "free_thresh: 0.196\n"
        )


def aria_map(world: World) -> str:
    """Lines in whole millimeters, as ARIA's tools write them."""
    lines = [tuple(round(1000 * value) for value in wall) for wall in world.segments]
    xs = [x for line in lines for x in line[::2]]
    ys = [y for line in lines for y in line[1::2]]
    start = world.start
    home = f"{round(1000 * start.x)} {round(1000 * start.y)} {math.degrees(start.heading):g}"
    head = [
        "2D-Map",
        f"LineMinPos: {min(xs)} {min(ys)}",
        f"LineMaxPos: {max(xs)} {max(ys)}",
        f"NumLines: {len(lines)}",
        f'Cairn: RobotHome {home} "" ICON "Home"',
        "LINES",
    ]
    return "\n".join(head + [" ".join(map(str, line)) for line in lines]) + "\n"


def files(name: str) -> dict[str, bytes]:
    """The files of a world's maps and what is in them."""
    world = load_world(name)
    grid = Grid(world)
    return {
        f"{name}.yaml": grid.yaml(name).encode(),
        f"{name}.pgm": grid.pgm(),
        f"{name}.map": aria_map(world).encode(),
    }


def walled_worlds() -> list[str]:
    return [name for name in available_worlds() if load_world(name).segments]


if __name__ == "__main__":
    for world_name in walled_worlds():
        for file_name, content in files(world_name).items():
            (FOLDER / file_name).write_bytes(content)
