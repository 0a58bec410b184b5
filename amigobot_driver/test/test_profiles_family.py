# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rest of the family: Pioneers and the Erratic as profiles, and how a robot is added to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sim_client import Client

from amigobot_driver.profiles import available_profiles, choose_profile, library, load_profile
from amigobot_driver.protocol import Command


@pytest.mark.parametrize("name", available_profiles())
def test_a_robot_is_known_by_subclass_in_any_case(name: str) -> None:
    profile = load_profile(name)
    for subclass in (*profile.subclasses, *map(str.title, profile.subclasses)):
        chosen, reason = choose_profile(profile.robot_class.upper(), subclass)
        assert chosen is profile
        assert reason == f"the robot reports {profile.robot_class.upper()}/{subclass}"


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
