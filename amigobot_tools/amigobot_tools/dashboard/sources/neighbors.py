# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several simulated robots in one world: the page drives one, other programs drive the others at their ports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from amigobot_driver.cli import UsageError
from amigobot_driver.cli.sim import connect
from amigobot_driver.sim import Simulator, load_robots
from amigobot_driver.sim.server import Served


def open_robots(
    path: Path, name: str, log: Callable[[str], None]
) -> tuple[str, Simulator, dict[str, Simulator], list[Served]]:
    """Build the robots of a file, and open the ports of all but one.

    Args:
        path: As for `amigobot sim --robots`.
        name: The robot that the page drives; "": the first one.
        log: Called with lines about the ports.

    Returns:
        The name of that robot, the robot, the others by name, and what serves them.

    Raises:
        UsageError: A port or the name is wrong; the message says what is allowed.
        WorldError: The file is wrong, likewise.
    """
    described = load_robots(str(path))
    names = [entry.name for entry in described.robots]
    name = name or names[0]
    if name not in names:
        raise UsageError(f"--name {name}: {path} has {', '.join(names)}")
    others, served = dict(described.build().robots), []
    robot = others.pop(name)
    for entry in described.robots:
        if entry.name != name:
            connection = connect(entry.pty, entry.tcp, others[entry.name], log)
            served.append(Served(others[entry.name], connection))
            log(f"robot {entry.name} listens on {connection.description}")
    return name, robot, others, served
