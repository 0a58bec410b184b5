# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several robots in one world, and the file of them for `amigobot sim --robots` and fleet.launch.py.

Each robot detects the others by sonar, and their bodies block each other.

    world: office
    robots:
      alpha: {pty: /tmp/alpha, start: [1, 2, 90]}
      beta: {tcp: 8102, start: [3, 2, 0], robot: p3dx, wear: {left_scale: 1.01}}

Each robot has `pty` or `tcp`, and any option of `sim://` but the world, which all of them share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..profiles import ProfileError
from ..resources import read_mapping
from ..wording import wrong_type
from .events import SimulatorEvent, ignore
from .simulator import Simulator
from .simulator_options import DEFAULT_WORLD, OPTIONS, build_simulator
from .world import WorldPose
from .worlds import WorldError, load_world, parse_pose
from .worlds.checks import check_keys

#: One computer cannot simulate more in real time.
MAX_ROBOTS = 32
_PLACES = ("pty", "tcp")


@dataclass(frozen=True, slots=True)
class RobotEntry:
    """One robot of the file: where it is served, and its options as text."""

    name: str
    options: Mapping[str, str]
    pty: str = ""  #: path of the link
    tcp: str = ""  #: [HOST:]PORT


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The robots of a file and their world."""

    path: Path
    world: str
    robots: tuple[RobotEntry, ...]

    def start(self, robot: RobotEntry) -> WorldPose:
        """Return where a robot starts.

        Raises:
            WorldError: The world cannot be read.
        """
        start = robot.options.get("start")
        return parse_pose(start) if start else load_world(self.world).start

    def build(self, listener: Callable[[str, SimulatorEvent], None] | None = None) -> dict[str, Simulator]:
        """Create the robots in their world; to advance one of them advances all.

        Args:
            listener: Called with the name of a robot and an event, as it happens.

        Raises:
            WorldError: The file, the world or an option is wrong; the message names the robot.
        """
        world = load_world(self.world)
        robots: list[Simulator] = []
        for robot in self.robots:
            report = partial(listener, robot.name) if listener else ignore
            try:
                build_simulator(robot.options, world=world, on_event=report).share_world(robots)
            except (ProfileError, ValueError) as error:
                raise WorldError(f"{self.path}: robot {robot.name}: {error}") from None
        return {entry.name: robot for entry, robot in zip(self.robots, robots, strict=True)}


def load_robots(path: str) -> RobotsFile:
    """Read a file of robots.

    Raises:
        WorldError: It cannot be read, or has another content; the message names the place and what is allowed.
    """
    file = Path(path)
    content = read_mapping(file, WorldError)
    check_keys(content, ("world", "robots"), path, ("robots",))
    robots = content["robots"]
    if not isinstance(robots, dict) or not 1 <= len(robots) <= MAX_ROBOTS:
        expected = f"a mapping of 1 to {MAX_ROBOTS} names to the options of each robot"
        raise WorldError(wrong_type(f"{path}: robots", robots, expected))
    entries = tuple(_entry(str(name), robot, seed, path) for seed, (name, robot) in enumerate(robots.items()))
    return RobotsFile(file, str(content.get("world", DEFAULT_WORLD)), entries)


def _entry(name: str, robot: Any, seed: int, path: str) -> RobotEntry:
    where = f"{path}: robot {name}"
    allowed = [option.name for option in OPTIONS if option.name != "world"]
    check_keys(robot, (*_PLACES, *allowed), where)
    options = {key: _text(value) for key, value in robot.items()}
    ports = {place: options.pop(place) for place in _PLACES if place in options}
    if len(ports) != 1:
        raise WorldError(f"{where}: give it one port, pty: PATH or tcp: PORT")
    return RobotEntry(name, {"seed": str(seed), "name": name, **options}, **ports)


def _text(value: Any) -> str:
    """Return a value of the YAML file as in the URL: lists with commas, mappings as A=1;B=2."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return ",".join(map(_text, value))
    if isinstance(value, dict):
        return ";".join(f"{key}={_text(item)}" for key, item in value.items())
    return str(value)
