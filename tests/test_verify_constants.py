# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One physical constant of the robot changed by a tenth: exactly its figure differs (docs/how-to/verify.md)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import Simulator, SonarModel, Wear
from amigobot_tools.verify.step_data import Figure
from amigobot_tools.verify.step_table import steps
from amigobot_tools.verify.verdict import DIFFERS, compare, expected, simulate

NOMINAL = load_profile("amigo-sh")
#: Steps that this robot has no command for, and those of the Erratic.
IMPOSSIBLE = {"sounds", *(step.name for step in steps().values() if step.only_erratic)}
ALL_STEPS = frozenset(step.name for step in steps().values())
#: Constants of the simulator, and the figure that shows each; without those that are too small beside their tolerance.
CONSTANTS = {
    row.parameter: key
    for step in steps().values()
    for key, row in step.figures.items()
    if row.parameter and row.parameter not in ("profile.physics.command_delay", "profile.sonar.cycle")
}
#: Those that `make test` tries, with the steps that they need.
QUICK = {
    "profile.physics.acceleration_ratio": ("config", "translation", "acceleration"),
    "profile.physics.watchdog_ratio": ("config", "translation", "brake", "watchdog"),
    "profile.units.distance": ("config", "translation", "straight", "brake"),
    "wear.left_scale": ("config", "translation", "straight", "spin"),
}


def scaled(holder: Any, path: list[str], factor: float) -> Any:
    """A dataclass with one of its constants multiplied."""
    name, *rest = path
    value = getattr(holder, name)
    return replace(holder, **{name: scaled(value, rest, factor) if rest else value * factor})


def changed(parameter: str, seed: int, factor: float = 1.1) -> Simulator:
    """The robot with one constant multiplied; "" changes nothing."""
    parts: dict[str, Any] = {"profile": NOMINAL, "wear": Wear(), "sonar": SonarModel()}
    if parameter:
        place, *path = parameter.split(".")
        parts[place] = scaled(parts[place], path, factor)
    return Simulator(seed=seed, **parts)


def differences(simulator: Simulator, steps: Collection[str] = ALL_STEPS) -> list[str]:
    """Keys of the figures that differ from the simulator's."""
    robot = simulate(simulator, NOMINAL, steps)
    assert {*steps} - {figure.step for figure in robot.figures.values()} <= IMPOSSIBLE
    compared = compare(robot.figures.values(), nominal_figures(frozenset(steps)))
    return [item.key for item in compared if item.verdict == DIFFERS]


@cache
def nominal_figures(steps: frozenset[str]) -> dict[str, Figure]:
    robot = simulate(Simulator(NOMINAL), NOMINAL, {"config"})
    return expected(NOMINAL, robot.config, steps)


@pytest.mark.parametrize("parameter", QUICK)
def test_only_the_constant_changed_by_a_tenth_is_reported(parameter: str) -> None:
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
