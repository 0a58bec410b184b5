# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of the simulator, for `amigobot sim`, `sim://` and files of robots, and the simulator they describe.

build_simulator({"robot": "amigo-sh", "world": "office", "faults": "corrupt=0.001;reset=30"})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..profiles import load_profile
from .events import Listener, ignore
from .fields import OptionError, parse_options
from .reported import ReportedRobot, load_report, load_reported
from .simulator import Simulator
from .world import World
from .worlds import load_world, parse_pose

DEFAULT_ROBOT = "amigo"
DEFAULT_WORLD = "room"


@dataclass(frozen=True, slots=True)
class SimulatorOption:
    """One option: its name in `sim://`, and what the command line says of it."""

    name: str
    read: Callable[[str], Any]  #: text to value; raises ValueError
    metavar: str
    help: str
    flag: str = ""  #: of the command; "" for --NAME
    list_of: str = ""  #: if the text is a list of NAME=VALUE, to which each use of the flag adds one: what one is


OPTIONS = (
    SimulatorOption("robot", str, "NAME", f"profile, or a .yaml file ({DEFAULT_ROBOT})"),
    SimulatorOption("as", str, "NAME", "a real robot, as it was reported; see below"),
    SimulatorOption("report", load_report, "FILE", "the robot of a report.json of `amigobot verify`", "--from-report"),
    SimulatorOption("world", load_world, "NAME", f"world, or a file ({DEFAULT_WORLD})"),
    SimulatorOption("start", parse_pose, "X,Y,DEG", "start pose (default: of the world)"),
    SimulatorOption("seed", int, "N", "seed of the random numbers (0)"),
    SimulatorOption("name", str, "NAME", "name of the robot"),
    SimulatorOption("charge", float, "SHARE", "charge of the battery, 0 to 1 (1.0)"),
    SimulatorOption("baud", int, "RATE", "line speed; 0: infinite (default: of the profile)"),
    SimulatorOption("faults", str, "NAME=VALUE", "inject a fault; see below", "--fault", list_of="fault"),
    SimulatorOption("wear", str, "NAME=VALUE", "deviation of the wheels; see below", list_of="wear"),
    SimulatorOption("sonar", str, "NAME=VALUE", "error model of the sonars; see below", list_of="sonar"),
)
_READERS = {option.name: option.read for option in OPTIONS}


def build_simulator(
    options: Mapping[str, str], *, world: World | None = None, on_event: Listener = ignore
) -> Simulator:
    """Create the simulator that the options describe.

    Args:
        options: Texts by the names in `OPTIONS`; every option can be left out.
        world: The world; None: that of the options.
        on_event: Called with each event as it happens.

    Raises:
        ProfileError, OptionError: An option is not known or not allowed; the message names it and what is allowed.
    """
    values = {name: _value(name, text) for name, text in options.items()}
    like, robot, reported = values.pop("report", None), values.pop("robot", ""), values.pop("as", "")
    if like and (robot or reported):
        raise OptionError("report describes a robot: leave out robot and as")
    if reported:
        like = load_reported(reported, robot)
    elif not like:
        like = ReportedRobot(load_profile(robot or DEFAULT_ROBOT))
    for option in OPTIONS:
        if option.list_of:
            changes = options[option.name].split(";") if option.name in options else ()
            values[option.name] = parse_options(option.list_of, changes, getattr(like, option.name))
    values = {"charge": like.charge, **values, "world": world or values.get("world") or load_world(DEFAULT_WORLD)}
    return Simulator(like.profile, on_event=on_event, **values)


def _value(name: str, text: str) -> Any:
    if name not in _READERS:
        raise OptionError(f"option {name!r} is not known, allowed: {', '.join(_READERS)}")
    try:
        return _READERS[name](text)
    except OptionError:
        raise
    except ValueError as error:
        raise OptionError(f"option {name}={text!r:.60}: {error}") from None
