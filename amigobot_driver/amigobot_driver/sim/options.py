# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Options of the simulator as text, for `amigobot sim` and `sim://`.

parse_wear(["left_scale=1.01", "slip=0.02"])       # Wear(left_scale=1.01, slip=0.02)
parse_sonar(["noise=0.01"])                        # SonarModel(noise=0.01)
parse_aux(["1=none", "2=device.yaml"])             # the devices on AUX1 and AUX2
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..profiles import Profile, build_profile, load_profile
from ..resources import share
from ..wording import too_large, wrong_type
from .auxiliary import AuxDevice, LoopBack, Reply, ScriptedDevice
from .body import Wear
from .faults import Faults, parse_faults
from .option_fields import OptionError, parse_options
from .sonar import SonarModel
from .sounds import DEFAULT_PLAYLIST, LAST_SOUND, PlaylistEntry, playlist

_MAX_SIZE = 100_000
_MAX_REPORT = 50_000_000
#: What the first keys of a report of `amigobot verify` say.
REPORT_FORMAT, REPORT_VERSION = "amigobot verify report", 1
_AUX_PORTS = ("1", "2", "3")


def parse_wear(texts: Iterable[str]) -> Wear:
    """Read the differences between wheels and profile, one NAME=VALUE each.

    Raises:
        OptionError: A name is unknown, or a value is outside its range.
    """
    return parse_options("wear", texts, Wear())


def parse_sonar(texts: Iterable[str]) -> SonarModel:
    """Read the errors of the sonars, one NAME=VALUE each.

    Raises:
        OptionError: A name is unknown, or a value is outside its range.
    """
    return parse_options("sonar", texts, SonarModel())


@dataclass(frozen=True, slots=True)
class ReportedRobot:
    """A real robot: as `amigobot verify` has measured it, or as the public record has it."""

    profile: Profile
    wear: Wear
    sonar: SonarModel = dataclasses.field(default_factory=SonarModel)
    faults: Faults = dataclasses.field(default_factory=Faults)
    charge: float = 1.0


def reported_robots() -> dict[str, dict[str, Any]]:
    """Return the robots of `config/reported_robots.yaml`: name and keys."""
    return _read(str(share("config") / "reported_robots.yaml"))  # type: ignore[no-any-return]


def reported_help() -> str:
    """Return the reported robots, one per line."""
    return "\n".join(f"  {name:<16} {entry['description']}" for name, entry in reported_robots().items())


def load_reported(name: str, robot: str = "", faults: Iterable[str] = (), wear: Iterable[str] = ()) -> ReportedRobot:
    """Return a robot as the public record has it.

    Args:
        name: Name in `config/reported_robots.yaml`.
        robot: Profile instead of the reported one, of the same body: p3at for p3at-sh; "" for none.
        faults: Further faults, as in `parse_faults`; they count before the reported ones.
        wear: Further differences of the wheels, as in `parse_wear`; they count before the reported ones.

    Raises:
        OptionError: The name is not known, or the profile is of another body; the message lists the names.
        ProfileError: The profile is not known.
    """
    known = reported_robots()
    if name not in known:
        raise OptionError(f"reported robot {name!r:.60} is not known, allowed:\n{reported_help()}")
    entry = known[name]
    own, profile = load_profile(entry["robot"]), load_profile(robot or entry["robot"])
    if (own.body.length, own.firmware == "E") != (profile.body.length, profile.firmware == "E"):
        raise OptionError(f"reported robot {name} is the robot {own.name}, not {profile.name}: leave the robot out")
    flash = {**profile.flash, **entry.get("flash", {})}
    return ReportedRobot(
        dataclasses.replace(profile, flash=flash),
        parse_wear([*_texts(entry, "wear"), *wear]),
        faults=parse_faults([*_texts(entry, "faults"), *faults]),
        charge=entry.get("charge", 1.0),
    )


def _texts(entry: Mapping[str, Any], key: str) -> list[str]:
    return str(entry[key]).split(";") if key in entry else []


def load_report(path: str) -> ReportedRobot:
    """Read the section `simulator` of a report of `amigobot verify`.

    Args:
        path: The file report.json.

    Raises:
        OptionError: It cannot be read, or is not a report of a known version.
        ProfileError: One of its values is not allowed.
    """
    content = _read(path, _MAX_REPORT)
    if not isinstance(content, dict) or content.get("format") != REPORT_FORMAT:
        raise OptionError(f"{path}: this is not a report of `amigobot verify`")
    if content.get("version") != REPORT_VERSION:
        version = f"{content.get('version')!r:.60}, allowed: {REPORT_VERSION}"
        raise OptionError(f"{path}: version is {version}; repeat `amigobot verify`")
    try:
        section = content["simulator"]
        wear = [f"{name}={value}" for name, value in section["wear"].items()]
        sonar = [f"{name}={value}" for name, value in section["sonar"].items()]
        return ReportedRobot(build_profile(section["profile"], path), parse_wear(wear), parse_sonar(sonar))
    except (KeyError, TypeError, AttributeError) as error:
        raise OptionError(f"{path}: its section `simulator` is damaged ({type(error).__name__}: {error})") from None


def load_sounds(text: str) -> Mapping[int, PlaylistEntry]:
    """Load the sounds in FLASH.

    Args:
        text: "default", "none", or the path of a YAML file of numbers and names.

    Returns:
        The sounds by number.

    Raises:
        OptionError: The file cannot be read, or has another content.
    """
    if text == "none":
        return {}
    if text == "default":
        return DEFAULT_PLAYLIST
    content = _read(text)
    valid = isinstance(content, dict) and all(
        type(number) is int and 1 <= number <= LAST_SOUND and isinstance(name, str) for number, name in content.items()
    )
    if not valid:
        expected = f"numbers from 1 to {LAST_SOUND} with names, as in 50: hello"
        raise OptionError(wrong_type(f"{text}: the content", content, expected))
    return {number: sound for first, name in content.items() for number, sound in playlist([name], first).items()}


def parse_aux(texts: Iterable[str]) -> Mapping[int, AuxDevice]:
    """Read the devices on the auxiliary ports.

    Args:
        texts: One PORT=DEVICE per port. DEVICE is `loop`, `none`, or a YAML file, a list of
            `{request: TEXT, answer: TEXT, delay: SECONDS}`.

    Returns:
        The devices by port number.

    Raises:
        OptionError: A port does not exist, or a file cannot be read or has another content.
    """
    devices: dict[int, AuxDevice] = {}
    for text in texts:
        port, _, device = text.partition("=")
        if port not in _AUX_PORTS or not device:
            raise OptionError(wrong_type("aux", text, f"PORT=DEVICE, with port {', '.join(_AUX_PORTS)}"))
        devices[int(port)] = _device(device)
    return devices


def _device(text: str) -> AuxDevice:
    if text == "loop":
        return LoopBack()
    if text == "none":
        return ScriptedDevice(())
    content = _read(text)
    try:
        return ScriptedDevice([_reply(**item) for item in content])
    except (TypeError, ValueError, AttributeError):
        expected = "a list of request, answer and delay, as in - {request: 'V?', answer: '1.0'}"
        raise OptionError(wrong_type(f"{text}: the content", content, expected)) from None


def _reply(request: str, answer: str, delay: float = 0.0) -> Reply:
    if not request or not 0.0 <= float(delay) < math.inf:
        raise ValueError
    return Reply(request.encode("latin-1"), answer.encode("latin-1"), float(delay))


def _read(path: str, max_size: int = _MAX_SIZE) -> Any:
    """Read a YAML file, which may be JSON, of at most `max_size` bytes."""
    try:
        if (size := Path(path).stat().st_size) > max_size:
            raise OptionError(too_large(path, size, max_size))
        if path.endswith(".json"):
            return json.loads(Path(path).read_text(encoding="utf-8"))
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"{path}: cannot be read ({' '.join(str(error).split())})") from None
