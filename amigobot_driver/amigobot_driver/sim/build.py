# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot from options as text, the same for `sim://` and for files of several robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..profiles import load_profile
from .erratic import parse_revision, revision_names, revision_of
from .events import Listener, ignore
from .faults import parse_faults
from .option_fields import OptionError, flag
from .options import load_report, load_reported, load_sounds, parse_aux, parse_sonar, parse_wear
from .simulator import Simulator
from .world import World
from .worlds import WorldError, load_world, parse_pose

DEFAULT_ROBOT, DEFAULT_WORLD = "amigo", "room"

#: The function that reads each option.
_OPTIONS: dict[str, Callable[[str], Any]] = {
    "world": load_world,
    "start": parse_pose,
    "seed": int,
    "baud": int,
    "name": str,
    "charge": float,
    "refuse_low_battery": flag,
    "wear": lambda text: parse_wear(text.split(";")),
    "sonar": lambda text: parse_sonar(text.split(";")),
    "sounds": load_sounds,
    "aux": lambda text: parse_aux(text.split(";")),
    "faults": lambda text: parse_faults(text.split(";")),
    "as": str,
    "robot": str,
    "report": load_report,
}


def option_names() -> tuple[str, ...]:
    """Return the names of all options, those of the variants of an Erratic last."""
    return (*_OPTIONS, *revision_names())


def build_simulator(
    options: Mapping[str, str], *, world: World | None = None, on_event: Listener = ignore
) -> Simulator:
    """Create the simulator that the options describe.

    Args:
        options: Texts by the names in `option_names`; every option can be left out.
        world: The world; None: that of the options.
        on_event: Called with each event as it happens.

    Raises:
        ProfileError, WorldError, OptionError, ValueError: An option is not known or not allowed; the
            message names it and what is allowed.
    """
    variants = [f"{name}={text}" for name, text in options.items() if name in revision_names()]
    values = {name: _value(name, text) for name, text in options.items() if name not in revision_names()}
    report, robot, reported = values.pop("report", None), values.pop("robot", ""), values.pop("as", "")
    if report and (robot or reported):
        raise ValueError("report describes a robot: leave out robot and as")
    if reported:
        given = {name: options[name].split(";") for name in ("faults", "wear") if name in options}
        report = load_reported(reported, robot, **given)
        values |= {"faults": report.faults, "wear": report.wear, "charge": values.get("charge", report.charge)}
    profile = report.profile if report else load_profile(robot or DEFAULT_ROBOT)
    if report:
        values = {"wear": report.wear, "sonar": report.sonar, **values}
    if variants:
        values["revision"] = parse_revision(variants, revision_of(profile))
    values["world"] = world or values.get("world") or load_world(DEFAULT_WORLD)
    return Simulator(profile, on_event=on_event, **values)


def _value(name: str, text: str) -> Any:
    if name not in _OPTIONS:
        raise ValueError(f"option {name!r} is not known, allowed: {', '.join(option_names())}")
    try:
        return _OPTIONS[name](text)
    except (WorldError, OptionError):
        raise
    except ValueError as error:
        raise ValueError(f"option {name}={text!r:.60}: {error}") from None
