# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rest of the family: Pioneers and the Erratic as profiles, and how a robot is added to them."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sim_client import Client

from amigobot_driver.profiles import Profile, available_profiles, choose_profile, library, load_profile
from amigobot_driver.protocol import Command, SyncReply

PIONEERS = [name for name in available_profiles() if name.startswith(("p", "seekur"))]

#: docs/protocol.md 6.3: half of the front ring of the DX and the AT; the other halves mirror it
DX_FRONT = [(69, 136, 90), (114, 119, 50), (148, 78, 30), (166, 27, 10)]
DX_REAR = [(-157, -136, -90), (-203, -119, -130), (-237, -78, -150), (-255, -27, -170)]
AT_FRONT = [(147, 136, 90), (193, 119, 50), (227, 79, 30), (245, 27, 10)]
AT_REAR = [(-144, -136, -90), (-189, -119, -130), (-223, -79, -150), (-241, -27, -170)]


def ring(half: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    return half + [(x, -y, -heading) for x, y, heading in reversed(half)]


def millimetres(profile: Profile) -> list[tuple[int, int, int]]:
    return [
        (round(pose.x * 1000), round(pose.y * 1000), round(math.degrees(pose.heading))) for pose in profile.sonar.poses
    ]


@pytest.mark.parametrize(
    ("name", "distance", "sonar_range", "track"),
    [
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
    """docs/protocol.md 6.1; distances of p2ce, p2de and p3atiw-sh from ARIA's files."""
    profile = load_profile(name)
    assert profile.units.distance == pytest.approx(distance * 1e-3)
    assert profile.units.velocity == pytest.approx(1e-3)
    assert profile.units.range == pytest.approx(sonar_range * 1e-3)
    assert profile.units.angle == math.tau / 4096
    assert profile.body.track == pytest.approx(track, abs=1e-5)


@dataclass(frozen=True)
class Shape:
    """What docs/protocol.md 6.2 and 6.3 have of a model."""

    size: tuple[int, int, int, int]  #: mm: length, width, front and rear of the axle
    limits: tuple[int, int]  #: mm/s, deg/s
    sonars: list[tuple[int, int, int]] | int  #: poses in mm, mm, deg, or only how many
    bumpers: tuple[int, int] = (5, 5)  #: segments in front and behind
    four_wheels: bool = False


DX = Shape((511, 425, 210, 301), (2200, 500), ring(DX_FRONT) + ring(DX_REAR))
AT = Shape((626, 505, 313, 313), (1200, 300), ring(AT_FRONT) + ring(AT_REAR), four_wheels=True)
#: One row for each profile of a Pioneer or PowerBot.
SHAPES = {
    **dict.fromkeys(("p2ce", "p2d8", "p2de", "p2df", "p2dx", "p3dx", "p3dx-sh"), DX),
    **dict.fromkeys(("p2at", "p2at8", "p2it", "p3at", "p3at-sh"), AT),
    **dict.fromkeys(("p2pb", "p2pp"), replace(DX, sonars=24)),
    **dict.fromkeys(("peoplebot-sh", "perfpb"), replace(DX, sonars=32)),
    "patrolbot-sh": Shape((590, 480, 295, 295), (2200, 500), sonars=16, bumpers=(6, 6)),
    "seekurjr": Shape((1200, 830, 600, 600), (1200, 80), sonars=0, bumpers=(4, 4), four_wheels=True),
    "p3atiw-sh": replace(AT, size=(626, 490, 313, 313)),
    **dict.fromkeys(("powerbot", "powerbot-sh"), Shape((911, 680, 369, 542), (2000, 360), sonars=32, bumpers=(7, 5))),
}


@pytest.mark.parametrize("name", PIONEERS)
def test_dimensions_limits_and_rings(name: str) -> None:
    profile, shape = load_profile(name), SHAPES[name]
    body, limits, bumpers = profile.body, profile.limits, profile.bumpers
    assert tuple(round(1000 * value) for value in (body.length, body.width, body.front, body.rear)) == shape.size
    assert (round(1000 * limits.linear), round(math.degrees(limits.angular))) == shape.limits
    poses = millimetres(profile)
    assert (len(poses) if isinstance(shape.sonars, int) else poses) == shape.sonars
    assert bool(body.wheelbase) == shape.four_wheels
    assert (bumpers.front_segments, bumpers.rear_segments) == shape.bumpers
    assert profile.sonar.cycle == pytest.approx(0.040)


@pytest.mark.parametrize(
    ("subclass", "name", "letters"),
    [
        ("P2DX", "p2dx", "P"),
        ("p2at", "p2at", "P"),
        ("P2D8", "p2d8", "R"),
        ("p2d8+", "p2d8", "R"),
        ("P2AT8", "p2at8", "R"),
        ("p2at8+", "p3at", "R"),
        ("p3dx", "p3dx", "R"),
        ("P3DX-SH", "p3dx-sh", "RC"),
        ("p3dx-sh-lms500", "p3dx-sh", "RC"),
        ("p3at", "p3at", "R"),
        ("p3at-sh", "p3at-sh", "RC"),
        ("p3atiw-sh", "p3atiw-sh", "RC"),
        ("powerbot-sh", "powerbot-sh", "RC"),
        ("powerbot", "powerbot", "R"),
        ("peoplebot-sh", "peoplebot-sh", "RC"),
        ("perfpb+", "perfpb", "R"),
        ("patrolbot-sh", "patrolbot-sh", "RC"),
        ("researchPB", "patrolbot-sh", "RC"),
        ("seekurjr", "seekurjr", "RC"),
        ("seekur", "generic", ""),
        ("p4dx", "generic", ""),
    ],
)
def test_a_pioneer_is_known_by_its_subclass(subclass: str, name: str, letters: str) -> None:
    profile, reason = choose_profile("Pioneer", subclass)
    assert (profile.name, profile.firmware) == (name, letters)
    assert f"Pioneer/{subclass}" in reason
    assert ("no profile has" in reason) == (name == "generic")


@pytest.mark.parametrize("revision", ["Rev E", "Rev G", "Rev H"])
def test_an_erratic_is_known_by_its_revision_and_not_by_players_factors(revision: str) -> None:
    assert choose_profile("Erratic", revision)[0].name == "erratic"


@pytest.mark.parametrize(("name", "distance"), [("erratic-player", 0.78), ("erratic-player-h", 0.93)])
def test_players_factors_for_the_erratic(name: str, distance: float) -> None:
    """docs/protocol.md 6.1, E-44."""
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

    def test_a_new_profile_file_is_recognized_and_simulated(self, folder: Path) -> None:
        (folder / "p5dx.yaml").write_text(
            "extends: p3dx-sh\nname: p5dx\ndescription: one of these days\nsubclasses: [p5dx]\n"
            "units: {distance_mm: 2.0}\nbody: {track_mm: 500}\nflash: {Subtype: p5dx}\n"
        )
        assert "p5dx" in available_profiles()
        profile, _ = choose_profile("Pioneer", "P5DX")
        assert (profile.name, profile.units.distance, profile.firmware) == ("p5dx", pytest.approx(2e-3), "RC")
        client = Client("p5dx").open()
        reply = next(packet for _, packet in client.packets if isinstance(packet, SyncReply))
        assert (reply.robot_class, reply.subclass) == ("Pioneer", "p5dx")
        client.send(Command.VEL(200), Command.RVEL(30))
        client.run(2.0)
        client.send(Command.STOP())
        client.run(2.0)
        sip, pose = client.sip(), client.sim.truth.pose
        assert pose.heading > 0.5 and pose.x > 0.2
        assert sip.heading * profile.units.angle == pytest.approx(pose.heading, abs=0.003)
        assert sip.x * 2e-3 == pytest.approx(pose.x, abs=0.005)
