# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the simulator learns from a report: its parameters as this robot has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amigobot_driver import Profile
from amigobot_driver.protocol import Parameters
from amigobot_driver.sim import SonarModel, Wear, flash_of

from .comparison import AS_SIMULATED, Compared, is_significant

#: parameters to which a difference is added; all others are proportional to their figure
_ADDED = {"physics.command_delay", "sonar.noise"}
#: allowed range of the parameters that a simulator does not take at any value
_WEAR = (0.5, 2.0)
#: beginning of the keys of settings
_CONFIG = "config."


def simulator_section(profile: Profile, config: Parameters | None, compared: Sequence[Compared]) -> dict[str, Any]:
    """Return the section `simulator` of a report, which `amigobot sim --from-report` reads.

    Args:
        profile: The profile of the expected values.
        config: What the robot reports; None if it was not read.
        compared: All findings.

    Returns:
        A profile (the changed keys only), wear and sonar model.
    """
    changes: dict[str, Any] = {"extends": profile.name}
    section: dict[str, Any] = {"profile": changes, "wear": {}, "sonar": {}}
    own = {item.figure.key.removeprefix(_CONFIG) for item in compared if item.figure.key.startswith(_CONFIG)}
    own -= {item.figure.key.removeprefix(_CONFIG) for item in compared if item.verdict == AS_SIMULATED}
    if config is not None and own:
        changes["flash"] = flash_of(config, own)
    for item in compared:
        if item.figure.parameter and is_significant(item):
            _learn(section, profile, item)
    return section


def _learn(section: dict[str, Any], profile: Profile, item: Compared) -> None:
    place, _, name = item.figure.parameter.partition(".")
    value, expected = item.figure.value, item.expected
    assert isinstance(value, float) and isinstance(expected, float)
    nominal = nominal_parameter(profile, item.figure.parameter)
    if not expected and item.figure.parameter not in _ADDED:
        return  # nothing is proportional to zero
    learned = nominal + value - expected if item.figure.parameter in _ADDED else nominal * value / expected
    if learned <= 0 or (place == "wear" and not _WEAR[0] <= learned <= _WEAR[1]):
        return
    if place == "profile":
        part, _, name = name.partition(".")
        section["profile"].setdefault(part, {})[name] = learned
    elif place == "physics":
        section["profile"].setdefault("physics", {})[name] = learned
    else:
        section[place][name] = learned


def nominal_parameter(profile: Profile, parameter: str) -> float:
    """Return the value of a parameter that the expected values come from."""
    place, _, name = parameter.partition(".")
    holder: object = {"wear": Wear(), "sonar": SonarModel(), "physics": profile.physics, "profile": profile}[place]
    for part in name.split("."):
        holder = getattr(holder, part)
    assert isinstance(holder, float)
    return holder
