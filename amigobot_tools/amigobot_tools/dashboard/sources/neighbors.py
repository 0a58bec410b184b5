# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several simulated robots in one world: the page drives one, other programs drive the others at their ports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amigobot_driver.cli import UsageError
from amigobot_driver.cli.sim import connect
from amigobot_driver.sim import Simulator, load_robots
from amigobot_driver.sim.server import Served


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The other robots of a world: the simulators by name, and what serves them."""

    robots: dict[str, Simulator] = field(default_factory=dict)
    served: list[Served] = field(default_factory=list)

    def poses(self) -> dict[str, tuple[float, float, float]]:
        """Return where they are: m, m, rad in the world's frame."""
        poses = {name: robot.truth.pose for name, robot in self.robots.items()}
        return {name: (pose.x, pose.y, pose.heading) for name, pose in poses.items()}

    def bodies(self) -> dict[str, Any]:
        """Return their dimensions, m."""
        return {name: robot.profile.body for name, robot in self.robots.items()}

    def exchange(self, now: float) -> None:
        """Pass bytes between the robots and their clients."""
        for one in self.served:
            one.exchange(now)

    def close(self) -> None:
        """Close their ports."""
        for one in self.served:
            one.connection.close()


def open_robots(path: Path, name: str, log: Callable[[str], None]) -> tuple[str, Simulator, Neighbors]:
    """Build the robots of a file, and open the ports of all but one.

    Args:
        path: As for `amigobot sim --robots`.
        name: The robot that the page drives; "": the first one.
        log: Called with lines about the ports.

    Returns:
        The name of that robot, the robot, and the others.

    Raises:
        UsageError: A port or the name is wrong; the message says what is allowed.
        WorldError: The file is wrong, likewise.
    """
    neighbors, described = Neighbors(), load_robots(str(path))
    names = [entry.name for entry in described.robots]
    name = name or names[0]
    if name not in names:
        raise UsageError(f"--name {name}: {path} has {', '.join(names)}")
    robots = described.build().robots
    for entry in described.robots:
        if entry.name != name:
            connection = connect(entry.pty, entry.tcp, robots[entry.name], log)
            neighbors.robots[entry.name] = robots[entry.name]
            neighbors.served.append(Served(robots[entry.name], connection))
            log(f"robot {entry.name} listens on {connection.description}")
    return name, robots[name], neighbors
