# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""ARIA parameter files: the one in appendix B of the AmigoBot manual, and what people make of such files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from amigobot_driver.profiles import ProfileError, load_profile

AMIGO = Path(__file__).parent / "data" / "aria" / "amigo.p"


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "mine.p") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="latin-1")
        return str(path)

    return write


def test_the_manuals_own_file_is_a_profile():
    profile = load_profile(str(AMIGO))
    assert (profile.robot_class, profile.subclasses) == ("Pioneer", ("amigo",))
    assert profile.units.distance == pytest.approx(0.5083e-3)
    assert profile.units.velocity == pytest.approx(0.6154e-3)
    assert profile.units.range == pytest.approx(1e-3)
    assert profile.limits.linear == pytest.approx(1.0)
    assert profile.limits.angular == pytest.approx(math.radians(300))
    assert len(profile.sonar.poses) == 8
    first, last = profile.sonar.poses[0], profile.sonar.poses[7]
    assert (first.x, first.y, math.degrees(first.heading)) == pytest.approx((0.075, 0.105, 90))
    assert (last.x, last.y, math.degrees(last.heading)) == pytest.approx((-0.140, 0.082, -216))


def test_missing_values_of_aria_files_come_from_profiles():
    ours, theirs = load_profile("amigo"), load_profile(str(AMIGO))
    assert theirs.battery == ours.battery
    assert theirs.body.track == ours.body.track
    assert theirs.sonar.cycle == ours.sonar.cycle


def test_unused_keywords_of_an_aria_file_are_listed():
    assert load_profile(str(AMIGO)).unused == (
        "RobotRadius",
        "RobotDiagonal",
        "Holonomic",
        "FrontBuffer",
        "SideBuffer",
        "QuickBuffer",
        "DiffConvFactor (the track stays 244 mm, that of amigo)",
    )


def test_an_unknown_robot_gets_the_generic_profile(write):
    profile = load_profile(write("Class Pioneer\nSubclass mine\nDistConvFactor 0.5\n"))
    assert profile.units.distance == pytest.approx(0.5e-3)
    assert profile.body == load_profile("generic").body


def test_the_turn_factor_is_for_an_unknown_robot_only(write):
    assert load_profile(write("Class Pioneer\nSubclass mine\nDiffConvFactor 0.005\n")).body.track == pytest.approx(0.4)
    known = load_profile(write("Class Pioneer\nSubclass p3dx-sh\nDiffConvFactor 0.005\n"))
    assert known.body.track == load_profile("p3dx-sh").body.track


def test_sonars_without_a_place_are_left_out_at_last(write):
    poses = load_profile(write("SonarNum 3\nSonarUnit 0 1 2 3\nSonarUnit 1 1 2 3\n")).sonar.poses
    assert len(poses) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Class Pioneer\nDistConvFactor half\n", "line 2: DistConvFactor is 'half', expected a number"),
        (
            "\n\nSonarUnit 0 1 2\n",
            "line 3: SonarUnit is '0 1 2', expected a number, x and y in mm, and a heading in degrees",
        ),
        ("SonarNum 3\nSonarUnit 0 1 2 3\nSonarUnit 2 1 2 3\n", "SonarNum is 3, but SonarUnit 1 is missing"),
        ("MaxVelocity nan\n", "line 1: MaxVelocity is 'nan', expected a number"),
        ("MaxVelocity -5\n", "MaxVelocity"),
    ],
)
def test_a_bad_line_of_an_aria_file_is_named(write, text, complaint):
    path = write(text)
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    message = str(error.value)
    assert message.startswith(path)
    assert "\n" not in message
    if complaint != "MaxVelocity":
        assert complaint in message
