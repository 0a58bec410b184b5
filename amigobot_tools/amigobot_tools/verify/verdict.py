# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What was found against what the simulator shows under the same commands, and what the simulator learns from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from amigobot_driver import Profile
from amigobot_driver.protocol import TuningValues
from amigobot_driver.sim import Simulator, SonarModel, Wear, flash_of

from .simulated_person import simulated
from .step_data import Figure, KnownRobot
from .step_table import row_of, steps_of
from .trial import Trial

AS_SIMULATED, DIFFERS, UNKNOWN = "as simulated", "differs", "unknown"

_TOLERANCE = 0.03  # share of a quantity below which a difference does not matter
_SIGMA = 3.0  # standard uncertainties that a difference may have by chance
_NOTICED = 0.1  # share of a quantity that must be noticed: with a larger uncertainty the verdict is "unknown"
_PATIENCE = 4  # simulated pings / real pings: with as many, a noise that differs by 10 % would be taken for chance
_SEED = 1  # of the simulated reference
#: Settings with which no robot drives if they are 0: a robot that drives has others. The step `config` shows them.
_NEVER_ZERO = {"TransKp", "RotKp", "TransKv", "RotKv", "StallVal", "TicksMM"}
_ADDED = {"profile.physics.command_delay", "sonar.noise"}  # a difference is added; other parameters are proportional
_WEAR = (0.5, 2.0)  # range that the simulator allows
_CONFIG = "config."  # beginning of the keys of settings


def compare(found: Iterable[Figure], expected: Mapping[str, Figure]) -> list[Figure]:
    """Compare each finding at the robot with that at the simulator, which has the same key."""
    compared = []
    for figure in found:
        other = expected.get(figure.key) if row_of(figure.key).compared else None
        value, error = (other.value, other.uncertainty) if other else (None, 0.0)
        figure = replace(figure, expected=value, expected_uncertainty=error)
        compared.append(replace(figure, verdict=_verdict(figure)))
    return compared


def _chance(figure: Figure) -> float:
    """The difference of two quantities that may be chance."""
    return _SIGMA * math.hypot(figure.uncertainty, figure.expected_uncertainty)


def _verdict(figure: Figure) -> str:
    row, value, expected, chance = row_of(figure.key), figure.value, figure.expected, _chance(figure)
    if value is None or expected is None:
        return UNKNOWN
    if not isinstance(value, float) or not isinstance(expected, float):
        return AS_SIMULATED if value == expected else DIFFERS
    allowed = row.tolerance or row.share * abs(value) or _TOLERANCE * abs(expected)
    if abs(value - expected) > max(allowed, chance):
        return DIFFERS
    return AS_SIMULATED if chance <= max(allowed, _NOTICED * abs(expected)) else UNKNOWN


def simulate(
    simulator: Simulator,
    nominal: Profile,
    steps: Collection[str],
    patience: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> KnownRobot:
    """Run steps with a simulated robot and a simulated person, on simulated time; return what is known of it then.

    Args:
        simulator: The robot.
        nominal: Profile that the measurements start from.
        steps: Names of the steps.
        patience: See `Trial`.
        stopped: See `Client`.
    """
    client, person = simulated(simulator, stopped)
    client.set_profile(nominal)
    robot = KnownRobot(client.connect(), nominal)
    list(Trial(client, person, robot, patience).run([step for step in steps_of(nominal) if step.name in steps]))
    client.end()
    return robot


def expected(
    profile: Profile, config: TuningValues | None, steps: Collection[str], stopped: Callable[[], bool] = lambda: False
) -> dict[str, Figure]:
    """Return what the simulator shows, by key.

    CONFIG is expected as a factory ships the robot. Everything else is expected as this robot's own CONFIG says, so
    that a setting of its owner is one difference and not ten; a value that makes no sense is left out.

    Args:
        profile: Of the robot.
        config: What it reports; None if it was not read.
        steps: Names of the steps that were done with it.
        stopped: See `Client`.
    """
    reported = {} if config is None else flash_of(config)
    sane = {keyword: value for keyword, value in reported.items() if value or keyword not in _NEVER_ZERO}
    own = Simulator(replace(profile, flash={**profile.flash, **sane}), seed=_SEED)
    robot = simulate(own, profile, {*steps, "config"}, _PATIENCE, stopped)  # the others convert with it
    factory = simulate(Simulator(profile, seed=_SEED), profile, {"config"})
    return {**robot.figures, **factory.figures}


def simulator_section(profile: Profile, config: TuningValues | None, compared: Sequence[Figure]) -> dict[str, Any]:
    """Return the section `simulator` of a report, which `amigobot sim --from-report` reads.

    Args:
        profile: The profile of the expected values.
        config: What the robot reports; None if it was not read.
        compared: All findings.

    Returns:
        A profile (the changed keys only), wear and sonar model.
    """
    section: dict[str, Any] = {"profile": {"extends": profile.name}, "wear": {}, "sonar": {}}
    settings = [figure for figure in compared if figure.key.startswith(_CONFIG) and figure.verdict != AS_SIMULATED]
    if config is not None and settings:
        own = {figure.key.removeprefix(_CONFIG) for figure in settings}
        section["profile"]["flash"] = flash_of(config, own)
    for figure in compared:
        parameter, value, other = row_of(figure.key).parameter, figure.value, figure.expected
        if not parameter or not isinstance(value, float) or not isinstance(other, float):
            continue
        if abs(value - other) <= _chance(figure) or not (other or parameter in _ADDED):
            continue
        nominal = nominal_parameter(profile, parameter)
        learned = nominal + value - other if parameter in _ADDED else nominal * value / other
        *path, name = parameter.split(".")
        if learned > 0 and (path != ["wear"] or _WEAR[0] <= learned <= _WEAR[1]):
            reduce(lambda part, key: part.setdefault(key, {}), path, section)[name] = learned
    return section


def nominal_parameter(profile: Profile, parameter: str) -> float:
    """Return the value of a parameter that the expected values come from."""
    place, *names = parameter.split(".")
    holder: Any = {"wear": Wear(), "sonar": SonarModel(), "profile": profile}[place]
    return float(reduce(getattr, names, holder))
