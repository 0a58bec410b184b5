# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A report of `amigobot verify` describes the simulated robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amigobot_driver.sim import REPORT_FORMAT, REPORT_VERSION, OptionError, load_report
from amigobot_driver.transport import simulated


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
    ("content", "expected"),
    [
        ({"format": "x"}, "this is not a report of `amigobot verify`"),
        (report(version=99), "version is 99, allowed: 2; repeat `amigobot verify`"),
        (report(simulator={"profile": {"extends": "amigo"}, "wear": {"left": 1}, "sonar": {}}), "'left' is not known"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: object, expected: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(OptionError, match=expected):
        load_report(str(path))
