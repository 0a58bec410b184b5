# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The physics of a profile changes the simulated robot, the owner's hands move it, and a report describes it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from sim_client import Client

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.sim import REPORT_FORMAT, REPORT_VERSION, OptionError, load_report
from amigobot_driver.transport import simulated


def robot(**physics: float) -> Profile:
    profile = load_profile("amigo-sh")
    return dataclasses.replace(profile, physics=dataclasses.replace(profile.physics, **physics))


def speed_after(client: Client, seconds: float, *commands: Any) -> float:
    client.send(*commands)
    client.run(seconds)
    return client.speed


def test_the_robot_does_what_its_ratios_say() -> None:
    plain, changed = Client(robot()).open(), Client(robot(velocity_ratio=0.8, acceleration_ratio=0.5)).open()
    ramp = [speed_after(client, 0.9, Command.SETA(200), Command.VEL(200)) for client in (plain, changed)]
    assert ramp[1] == pytest.approx(ramp[0] / 2, rel=0.1)
    plateau = [speed_after(client, 2.0) for client in (plain, changed)]
    assert plateau == pytest.approx([0.2, 0.16], rel=0.02)


def report(**changes: object) -> dict[str, object]:
    return {
        "format": REPORT_FORMAT,
        "version": REPORT_VERSION,
        "simulator": {
            "profile": {"extends": "amigo-sh", "physics": {"motor_time": 0.2}, "flash": {"WatchDog": 1500}},
            "wear": {"left_scale": 1.02},
            "sonar": {"noise": 0.01},
        },
        **changes,
    }


def test_a_report_describes_the_simulated_robot(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report()), encoding="utf-8")
    loaded = load_report(str(path))
    assert (loaded.profile.physics.motor_time, loaded.wear.left_scale, loaded.sonar.noise) == (0.2, 1.02, 0.01)
    simulator, _ = simulated.simulator_of(f"sim://?report={path}")
    assert simulator.profile.flash["WatchDog"] == 1500


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"format": "x"}, "this is not a report of `amigobot verify`"),
        (report(version=99), "version is 99, allowed: 1; repeat `amigobot verify`"),
        (report(simulator={}), "its section `simulator` is damaged"),
        (report(simulator={"profile": {"extends": "amigo"}, "wear": {"left": 1}, "sonar": {}}), "'left' is not known"),
        ([], "this is not a report of `amigobot verify`"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: object, said: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(OptionError, match=said):
        load_report(str(path))
