# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One physical constant of the robot changed by a tenth: exactly its figure differs (docs/how-to/verify.md)."""

from __future__ import annotations

import pytest
from verify_constants import CONSTANTS, changed, differences

#: Those that `make test` tries, with the steps that they need.
QUICK = {
    "physics.acceleration_ratio": ("config", "translation", "acceleration"),
    "physics.watchdog_ratio": ("config", "translation", "brake", "watchdog"),
    "units.distance": ("config", "translation", "straight", "brake"),
    "wear.left_scale": ("config", "translation", "straight", "spin"),
}


@pytest.mark.parametrize("parameter", QUICK)
def test_a_constant_that_is_changed_by_a_tenth_is_reported_and_nothing_else(parameter: str) -> None:
    assert differences(changed(parameter, seed=3), QUICK[parameter]) == [CONSTANTS[parameter]]


@pytest.mark.soak
@pytest.mark.parametrize("seed", [7, 8, 9])
@pytest.mark.parametrize("factor", [1.1, 0.9])
@pytest.mark.parametrize("parameter", CONSTANTS)
def test_every_constant_is_reported_and_nothing_else(parameter: str, factor: float, seed: int) -> None:
    assert differences(changed(parameter, seed, factor)) == [CONSTANTS[parameter]]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_a_robot_without_a_change_has_no_difference(seed: int) -> None:
    assert differences(changed("", seed)) == []
