# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rest of the family: Pioneers and the Erratic as profiles, and how a robot is added to them."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sim_client import Client

from amigobot_driver.profiles import Profile, available_profiles, choose_profile, library, load_profile
from amigobot_driver.protocol import Command

#: docs/protocol 6.3: half of the front ring of the DX and the AT; the other halves mirror it
DX_FRONT = [(69, 136, 90), (114, 119, 50), (148, 78, 30), (166, 27, 10)]
DX_REAR = [(-157, -136, -90), (-203, -119, -130), (-237, -78, -150), (-255, -27, -170)]
AT_FRONT = [(147, 136, 90), (193, 119, 50), (227, 79, 30), (245, 27, 10)]
#: The rear sonars of an AmigoBot go the other way; E-37: the symmetric 120 of sonars 1 and 4.
AMIGO_FRONT, AMIGO_REAR = [(76, 100, 90), (125, 75, 41), (150, 30, 15)], [(-140, -58, -145)]
SH_FRONT, SH_REAR = [(70, 100, 90), (120, 75, 41), (144, 30, 15)], [(-146, -58, -145)]
AT_REAR = [(-144, -136, -90), (-189, -119, -130), (-223, -79, -150), (-241, -27, -170)]
#: docs/protocol 6.5
ERRATIC = [(119, 120, 90), (139, 100, 53), (144, 65, 24), (149, 45, 0)]


def ring(half: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    return half + [(x, -y, -heading) for x, y, heading in reversed(half)]


def millimetres(profile: Profile) -> list[tuple[int, int, int]]:
    return [
        (round(pose.x * 1000), round(pose.y * 1000), round(math.degrees(pose.heading))) for pose in profile.sonar.poses
    ]


@pytest.mark.parametrize(
    ("name", "distance", "sonar_range", "track"),
    [
        ("amigo", 0.5083, 1.0, 0.24414),
        ("amigo-sh", 1.0, 1.0, 0.24414),
        ("generic", 1.0, 1.0, 0.32965),
        ("p3dx", 0.485, 1.0, 0.32965),
        ("p2d8", 0.485, 1.0, 0.32965),
        ("p3dx-sh", 1.0, 1.0, 0.32965),
        ("p3at", 0.465, 1.0, 0.60063),
        ("p3at-sh", 1.0, 1.0, 0.60063),
        ("p3atiw-sh", 1.0, 1.0, 0.45805),
        ("p2dx", 0.84, 0.268, 0.32965),
        ("p2at", 1.32, 0.268, 0.60063),
        ("p2at8", 1.32, 1.0, 0.60063),
        ("p2ce", 0.826, 0.268, 0.32965),
        ("p2de", 0.969, 0.268, 0.32965),
        ("p2df", 0.485, 0.268, 0.32965),
        ("p2it", 1.136, 0.268, 0.60063),
        ("p2pb", 0.424, 0.268, 0.33452),
        ("p2pp", 0.485, 0.268, 0.33452),
        ("perfpb", 0.485, 1.0, 0.33452),
        ("peoplebot-sh", 1.0, 1.0, 0.33452),
        ("patrolbot-sh", 1.0, 1.0, 0.32965),
        ("powerbot", 0.5813, 1.0, 0.53619),
        ("powerbot-sh", 1.0, 1.0, 0.53619),
        ("seekurjr", 1.0, 1.0, 1.0),
    ],
)
def test_conversion_factors(name: str, distance: float, sonar_range: float, track: float) -> None:
    """docs/protocol 6.1; distances of p2ce, p2de and p3atiw-sh from ARIA's files."""
    profile = load_profile(name)
    assert profile.units.distance == pytest.approx(distance * 1e-3)
    assert profile.units.velocity == pytest.approx(0.6154e-3 if name == "amigo" else 1e-3)
    assert profile.units.range == pytest.approx(sonar_range * 1e-3)
    assert profile.units.angle == math.tau / 4096
    assert profile.body.track == pytest.approx(track, abs=5e-4)


@pytest.mark.parametrize(
    ("name", "poses"),
    [
        ("p3dx", ring(DX_FRONT) + ring(DX_REAR)),
        ("p3at", ring(AT_FRONT) + ring(AT_REAR)),
        ("amigo", ring(AMIGO_FRONT) + ring(AMIGO_REAR)),
        ("amigo-sh", ring(SH_FRONT) + ring(SH_REAR)),
        ("erratic", ring(ERRATIC)),
        ("generic", []),
    ],
)
def test_sonars_are_where_the_reference_has_them(name: str, poses: list[tuple[int, int, int]]) -> None:
    assert millimetres(load_profile(name)) == poses


@pytest.mark.parametrize("name", available_profiles())
def test_a_robot_is_known_by_subclass_in_any_case(name: str) -> None:
    profile = load_profile(name)
    for subclass in (*profile.subclasses, *map(str.title, profile.subclasses)):
        chosen, reason = choose_profile(profile.robot_class.upper(), subclass)
        assert chosen is profile
        assert reason == f"the robot reports {profile.robot_class.upper()}/{subclass}"


@pytest.mark.parametrize(("name", "distance"), [("erratic-player", 0.78), ("erratic-player-h", 0.93)])
def test_players_factors_for_the_erratic(name: str, distance: float) -> None:
    """docs/protocol 6.1, E-44."""
    profile, manual = load_profile(name), load_profile("erratic")
    assert profile.units.distance == pytest.approx(distance * 1e-3)
    assert profile.units.velocity == pytest.approx(1.20482e-3)
    assert manual.units.distance == manual.units.velocity == pytest.approx(1e-3)
    assert (profile.body, profile.sonar, profile.firmware) == (manual.body, manual.sonar, manual.firmware)


class TestAddingOne:
    """A robot is added by one file in the folder of profiles, and by nothing else."""

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        robots = tmp_path / "config" / "robots"
        shutil.copytree(library.share("config", "robots"), robots)
        monkeypatch.setattr(library, "share", lambda *parts: tmp_path.joinpath(*parts))
        library._shipped.cache_clear()
        yield robots
        library._shipped.cache_clear()

    def test_a_new_profile_that_extends_nothing_is_recognized(self, folder: Path) -> None:
        (folder / "rover.yaml").write_text(
            "name: rover\ndescription: six wheels\nrobot_class: Rover\nsubclasses: [mark 1]\nfirmware: R\n"
            "units: {distance_mm: 1.0, velocity_mm_s: 1.0, range_mm: 1.0}\n"
            "body: {length_mm: 500, width_mm: 400, height_mm: 300, front_mm: 250, rear_mm: 250, track_mm: 350,\n"
            "       wheel_diameter_mm: 200, wheel_width_mm: 40}\n"
            "limits: {linear_mm_s: 800, angular_deg_s: 90}\n"
            "flash: {Type: Rover, Subtype: mark_1}\n"
        )
        assert choose_profile("ROVER", "Mark 1")[0].name == "rover"
        client = Client("rover").open()
        client.send(Command.VEL(200))
        client.run(2.0)
        assert client.speed == pytest.approx(0.2, abs=0.005)
