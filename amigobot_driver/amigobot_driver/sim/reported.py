# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Real robots that the simulator can be: those of the public record, and the robot of a report of `amigobot verify`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..profiles import Profile, build_profile, load_profile
from ..resources import read_yaml, share
from .body import Wear
from .faults import Faults, parse_faults
from .fields import OptionError, parse_options
from .sonar import SonarModel

REPORT_FORMAT = "amigobot verify report"  # `format` of a report.json
REPORT_VERSION = 2  # `version` of a report.json that is read


@dataclass(frozen=True, slots=True)
class ReportedRobot:
    """A robot as `amigobot verify` has measured it, as the public record has it, or as its profile says."""

    profile: Profile
    wear: Wear = dataclasses.field(default_factory=Wear)
    sonar: SonarModel = dataclasses.field(default_factory=SonarModel)
    faults: Faults = dataclasses.field(default_factory=Faults)
    charge: float = 1.0


def reported_robots() -> dict[str, dict[str, Any]]:
    """Return the robots of `config/reported_robots.yaml`: name and keys."""
    robots: dict[str, dict[str, Any]] = read_yaml(share("config", "reported_robots.yaml"))
    return robots


def reported_help() -> str:
    """Return the reported robots, one per line."""
    return "\n".join(f"  {name:<16} {entry['description']}" for name, entry in reported_robots().items())


def load_reported(name: str, robot: str = "") -> ReportedRobot:
    """Return a robot as the public record has it.

    Args:
        name: Name in `config/reported_robots.yaml`.
        robot: Profile instead of the reported one, of the same body: p3at for p3at-sh; "" for none.

    Raises:
        OptionError: The name is not known, or the profile is of another body; the message lists the names.
        ProfileError: The profile is not known.
    """
    known = reported_robots()
    if name not in known:
        raise OptionError(f"reported robot {name!r:.60} is not known, allowed:\n{reported_help()}")
    entry = known[name]
    own, profile = load_profile(entry["robot"]), load_profile(robot or entry["robot"])
    if (own.body.length, own.erratic) != (profile.body.length, profile.erratic):
        raise OptionError(f"reported robot {name} is the robot {own.name}, not {profile.name}: leave the robot out")
    flash = {**profile.flash, **entry.get("flash", {})}
    return ReportedRobot(
        dataclasses.replace(profile, flash=flash),
        parse_options("wear", _texts(entry, "wear"), Wear()),
        faults=parse_faults(_texts(entry, "faults")),
        charge=entry.get("charge", 1.0),
    )


def _texts(entry: Mapping[str, Any], key: str) -> list[str]:
    return str(entry[key]).split(";") if key in entry else []


def read_report(path: str) -> dict[str, Any]:
    """Read a report of `amigobot verify`, without format and version.

    Raises:
        OptionError: It cannot be read, or is not a report of a known version.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise OptionError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not isinstance(content, dict) or content.pop("format", None) != REPORT_FORMAT:
        raise OptionError(f"{path}: this is not a report of `amigobot verify`")
    if (version := content.pop("version", None)) != REPORT_VERSION:
        raise OptionError(f"{path}: version is {version!r:.60}, allowed: {REPORT_VERSION}; repeat `amigobot verify`")
    return content


def load_report(path: str) -> ReportedRobot:
    """Read the section `simulator` of a report of `amigobot verify`.

    Args:
        path: The file report.json.

    Raises:
        OptionError: It cannot be read, or is not a report of a known version.
        ProfileError: One of its values is not allowed.
    """
    try:
        if not (section := read_report(path)["simulator"]):
            raise OptionError(f"{path}: it was not compared with the simulator; go on: `amigobot verify --resume`")
        wear, sonar = ([f"{name}={value}" for name, value in section[key].items()] for key in ("wear", "sonar"))
        profile = build_profile(section["profile"], path)
    except (KeyError, TypeError, AttributeError) as error:
        raise OptionError(f"{path}: its section `simulator` is damaged ({type(error).__name__}: {error})") from None
    return ReportedRobot(profile, parse_options("wear", wear, Wear()), parse_options("sonar", sonar, SonarModel()))
