# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Robot profiles: what is shipped, how one is chosen, and what is said of a bad one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from amigobot_driver.profiles import (
    Battery,
    Profile,
    ProfileError,
    SonarPose,
    available_profiles,
    choose_profile,
    load_profile,
)

Load = Callable[[str], Profile]

ROBOTS = Path(__file__).parents[1] / "config" / "robots"


class TestChoice:
    @pytest.mark.parametrize(
        ("robot_class", "subclass"),
        [("Pioneer", "toaster"), ("Pioneer", ""), ("MTX", "amigo"), ("", ""), ("Pioneer", "amigo ")],
    )
    def test_an_unknown_robot_gets_the_generic_profile(self, robot_class: str, subclass: str) -> None:
        profile, reason = choose_profile(robot_class, subclass)
        assert profile is load_profile("generic")
        expected = f"reports {robot_class}/{subclass}" if robot_class or subclass else "does not report its model"
        assert expected in reason
        assert "distances may be wrong" in reason
        assert all(name in reason for name in available_profiles())
        assert "\n" not in reason

    def test_an_unknown_profile_is_reported_with_the_known_ones(self) -> None:
        names = ", ".join(available_profiles())
        with pytest.raises(ProfileError, match=rf"^robot 'amigoo' is not known, allowed: {names}, or "):
            load_profile("amigoo")


class TestOwnFile:
    """A user's own profile: a YAML file, usually one that extends a shipped robot."""

    @pytest.fixture
    def load(self, tmp_path: Path) -> Load:
        file = tmp_path / "mine.yaml"

        def load(text: str) -> Profile:
            file.write_text(text, encoding="utf-8")
            return load_profile(str(file))

        return load

    def test_extending_changes_what_is_said_and_nothing_else(self, load: Load) -> None:
        mine = load("extends: amigo\nname: mine\nbody: {track_mm: 250}\nsonar: {poses: [[0, 0, 180]]}\n")
        amigo = load_profile("amigo")
        assert mine.name == "mine"
        assert mine.body.track == 0.250
        assert mine.body.length == amigo.body.length
        assert mine.sonar.poses == (SonarPose(0.0, 0.0, math.pi),)
        assert mine.sonar.cycle == amigo.sonar.cycle
        assert (mine.units, mine.limits, mine.flash) == (amigo.units, amigo.limits, amigo.flash)

    @pytest.mark.parametrize(
        ("key", "value"), [("linear: 0.5", 0.5), ("linear_mm_s: 500", 0.5), ("linear_mm_s: 500.0", 0.5)]
    )
    def test_the_unit_may_stand_in_the_key(self, load: Load, key: str, value: float) -> None:
        assert load(f"extends: generic\nlimits: {{{key}}}").limits.linear == pytest.approx(value)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("wheels: 3", "key 'wheels' is not known, allowed: name, description, robot_class, subclasses,"),
            ("body: {lenght_mm: 3}", "body: key 'lenght_mm' is not known, allowed: length, width, height,"),
            ("subclasses: amigo", "subclasses is 'amigo', expected a list of texts"),
            ("body: {length_mm: long}", "body: length_mm is 'long', expected a number"),
            ("body: {length_mm: .nan}", "body: length_mm is nan, expected a number"),
            ("units: {distance: 0}", "units: distance is 0, allowed: above 0"),
            ("body: 3", "body is 3, expected a mapping of keys to values"),
            ("link: {baud: 0}", "link: baud is 0, allowed: above 0"),
            ("bumpers: {front_segments: 8}", "bumpers: front_segments is 8, allowed: 0 to 7"),
            ("sonar: {poses: [[1, 2]]}", "sonar: poses is [1, 2], expected a list of 3 numbers"),
            ("battery: {curve: [[12, 1], [11, 0]]}", "battery: curve is [[12, 1], [11, 0]], expected pairs"),
            ("flash: {Name: [1]}", "flash: 'Name' is [1], expected an integer or a text"),
            ("name: a\nname: b", "not YAML (key 'name' is given twice"),
            ("name: [", "not YAML (while parsing a flow"),
        ],
        ids=lambda value: value[:40],
    )
    def test_a_wrong_key_or_value_is_one_line(self, load: Load, text: str, complaint: str, tmp_path: Path) -> None:
        """The file, the key, the value, what is allowed."""
        with pytest.raises(ProfileError) as refusal:
            load(f"extends: amigo\n{text}\n")
        message = str(refusal.value)
        assert message.startswith(f"{tmp_path / 'mine.yaml'}: {complaint}")
        assert "\n" not in message

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("extends: unknown", "extends is 'unknown', allowed: amigo, amigo-1.0, amigo-sh,"),
            ("name: x", "description, units, body, limits"),
            ("amigo", "the content is 'amigo', expected a mapping of keys to values"),
        ],
    )
    def test_a_file_that_is_no_profile_is_told(self, load: Load, text: str, complaint: str, tmp_path: Path) -> None:
        with pytest.raises(ProfileError, match=re.escape(f"{tmp_path / 'mine.yaml'}: {complaint}")):
            load(text)

    @pytest.mark.parametrize(
        "name", ["nowhere.yaml", "folder.yaml", "latin.yaml", "nul\0.yaml"], ids=["missing", "folder", "latin", "nul"]
    )
    def test_an_unreadable_profile_file_is_reported(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "folder.yaml").mkdir()
        (tmp_path / "latin.yaml").write_bytes(b"description: \xe9\n")
        with pytest.raises(ProfileError, match=r"\.yaml: (cannot be read|not YAML) \(.+\)$") as refusal:
            load_profile(str(tmp_path / name))
        assert "\n" not in str(refusal.value)


class TestModel:
    def test_the_body_sweeps_the_circle_of_its_farthest_corner(self) -> None:
        assert load_profile("amigo").body.radius == pytest.approx(math.hypot(0.170, 0.140))

    @pytest.mark.parametrize(
        ("volts", "charge"),
        [(0.0, 0.0), (10.5, 0.0), (11.0, 0.1), (11.5, 0.2), (12.2, 0.625), (12.8, 1.0), (15.0, 1.0)],
    )
    def test_charge_is_interpolated_on_the_curve(self, volts: float, charge: float) -> None:
        assert Battery().charge(volts) == pytest.approx(charge)
        assert Battery().volts(charge) == pytest.approx(min(12.8, max(10.5, volts)))
