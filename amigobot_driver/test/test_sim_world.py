# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Worlds: geometry, what is near a robot, the files that are shipped, and what a bad file is reported as."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.sim import Segment, Simulator, WorldError, WorldPose, load_world
from amigobot_driver.sim.world import Footprint


class TestBodies:
    SHAPE = Footprint(front=0.2, rear=0.1, side=0.15)

    @pytest.mark.parametrize(
        ("segment", "touches"),
        [
            ((0.19, -1, 0.19, 1), True),
            ((0.21, -1, 0.21, 1), False),
            ((-0.09, -1, -0.09, 1), True),
            ((-0.11, -1, -0.11, 1), False),
            ((-1, 0.14, 1, 0.14), True),
            ((-1, 0.16, 1, 0.16), False),
            ((0.0, 0.0, 0.01, 0.01), True),  # wholly inside
            ((0.1, 0.3, 0.4, 0.0), False),  # past the corner
            ((0.1, 0.2, 0.3, 0.0), True),  # cuts the corner
        ],
    )
    def test_a_body_touches_the_segments_inside_it(self, segment: tuple[float, ...], touches: bool) -> None:
        assert (self.SHAPE.part(WorldPose(0, 0), Segment(*segment)) is not None) is touches


@pytest.mark.parametrize("robot", available_profiles())
def test_every_robot_fits_into_every_world(robot: str) -> None:
    for world in ("empty", "office", "room"):
        Simulator(load_profile(robot), load_world(world))


class TestFiles:
    def write(self, folder: Path, text: str, name: str = "flat.yaml") -> str:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_a_world_file_has_all_shapes(self, tmp_path: Path) -> None:
        world = load_world(
            self.write(
                tmp_path,
                "start: [1, 2, 90]\n"
                "rooms: [[[0, 0], [4, 0], [4, 4]]]\n"
                "walls: [[[1, 1], [2, 1], [2, 2]]]\n"
                "boxes: [{at: [3, 3], size: [1, 1], heading: 45}]\n"
                "circles: [{at: [3, 3], radius: 0.1}]\n",
            )
        )
        assert (world.name, len(world.segments)) == ("flat", 3 + 2 + 4 + 12)
        assert (world.start.x, world.start.y, world.start.heading) == (1, 2, math.pi / 2)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("walls: [[[0, 0], [1]]]", r"walls is \[\[0, 0\], \[1\]\], expected a list of 2 or more \[x, y\], in m"),
            ("walls: 3", "walls is 3, expected a list"),
            ("wals: []", "key 'wals' is not known, allowed: description, start, rooms"),
            (
                "boxes: [{at: [0, 0]}]",
                r"boxes is .*, expected at: \[x, y\], size: \[length, width\], heading, in m and deg",
            ),
            ("circles: [{at: [0, 0], radius: 0}]", r"circles is .*, expected at: \[x, y\], radius \(above 0\)"),
            ("drops: [[[0, 0], [1, 1]]]", "drops is .*, expected a list of 3 or more"),
            ("start: [0, 0, 1.0e+9]", r"start is .*, expected \[x, y, heading\]"),
            ("[]", "a mapping"),
            ("a: [", "not YAML"),
        ],
    )
    def test_an_error_names_file_key_and_what_is_allowed(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(WorldError, match=message) as caught:
            load_world(self.write(tmp_path, text))
        assert "flat.yaml" in str(caught.value) and "\n" not in str(caught.value)


ARIA_MAP = """2D-Map
LineMinPos: -1000 -1000
LineMaxPos: 5000 4000
NumLines: 3
Cairn: RobotHome 1500 1000 90.000000 "" ICON "home"
Cairn: RobotHome 0 0 0.000000 "" ICON "second home"
Cairn: Goal 3000 1000 0.000000 "" ICON "kitchen"
LINES
-1000 -1000 5000 -1000
5000 -1000 5000 4000
5000 4000 -1000 -1000
DATA
100 100
"""


def test_an_aria_map_has_lines_and_home(tmp_path: Path) -> None:
    path = tmp_path / "house.map"
    path.write_text(ARIA_MAP, encoding="utf-8")
    world = load_world(str(path))
    assert world.segments[1] == Segment(5.0, -1.0, 5.0, 4.0) and len(world.segments) == 3
    assert (world.start.x, world.start.y, world.start.heading) == (1.5, 1.0, math.pi / 2)


class TestRosMaps:
    #: 4 x 3 cells of 0.5 m; # is a wall, the first row is the upper one
    PICTURE = ("####", "#..#", "#.##")
    YAML = "image: lab.pgm\nresolution: 0.5\norigin: [-1.0, -0.5, 0.0]\nnegate: 0\noccupied_thresh: 0.65\n"

    def write(self, folder: Path, picture: bytes | None = None, text: str = YAML) -> str:
        if picture is None:
            cells = bytes(0 if cell == "#" else 254 for row in self.PICTURE for cell in row)
            picture = b"P5\n# made by hand\n4 3\n255\n" + cells
        (folder / "lab.pgm").write_bytes(picture)
        (folder / "lab.yaml").write_text(text, encoding="utf-8")
        return str(folder / "lab.yaml")

    def test_cells_become_walls(self, tmp_path: Path) -> None:
        world = load_world(self.write(tmp_path))
        # In the free cell at the lower left, whose middle is x -0.25, y -0.25.
        assert world.cast(-0.25, -0.25, 0.0) == pytest.approx(0.25)
        assert world.cast(-0.25, -0.25, math.pi) == pytest.approx(0.25)
        assert world.cast(-0.25, -0.25, math.pi / 2) == pytest.approx(0.75)
        assert world.cast(-0.25, -0.25, -math.pi / 2) == math.inf
        assert world.cast(-0.25, 0.25, 0.0) == pytest.approx(0.75)
        assert Segment(-1.0, 1.0, 1.0, 1.0) in world.segments  # the upper side, in one piece

    def test_plain_text_pictures_and_inverted_ones(self, tmp_path: Path) -> None:
        cells = " ".join("1" if cell == "#" else "0" for row in self.PICTURE for cell in row)
        inverted = self.YAML.replace("negate: 0", "negate: 1")
        world = load_world(self.write(tmp_path, f"P2 4 3 1\n{cells}\n".encode(), inverted))
        assert set(world.segments) == set(load_world(self.write(tmp_path)).segments)

    @pytest.mark.parametrize(
        ("picture", "text", "message"),
        [
            (b"GIF89a", None, "not a PGM"),
            (b"P5 4 3 255\n123", None, "3 of 12 cells"),
            (b"P5 99999 99999 255\n", None, "allowed: 1 to 4000000 cells"),
            (b"P2 2 1 255\n1 999\n", None, "numbers up to 255"),
            (None, "image: nothing.pgm\nresolution: 0.05\n", "cannot be read"),
            (None, "image: 7\nresolution: 0.05\n", "image is 7"),
            (None, "image: lab.pgm\nresolution: 0\n", "above 0"),
            (None, "image: lab.pgm\nresolution: 1\norigin: [0]\n", "origin or occupied_thresh is not a number"),
        ],
    )
    def test_a_bad_map_is_refused_with_the_reason(
        self, tmp_path: Path, picture: bytes | None, text: str | None, message: str
    ) -> None:
        with pytest.raises(WorldError, match=message):
            load_world(self.write(tmp_path, picture, text or self.YAML))
