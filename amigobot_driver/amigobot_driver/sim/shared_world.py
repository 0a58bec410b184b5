# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several robots in one world: each detects the others by sonar, and their bodies block each other.

shared = SharedWorld({"alpha": Simulator(profile, world, start=a), "beta": Simulator(profile, world, start=b)})
shared.robots["alpha"].transmit(now=0.05)              # runs beta as well
"""

from __future__ import annotations

from collections.abc import Mapping

from .simulator import Simulator
from .worlds import WorldError


class SharedWorld:
    """Runs the control cycles of all robots in turn, so that each meets the others where they are at that time.

    `robots` has the simulators by name. Advancing one of them advances all.
    """

    def __init__(self, robots: Mapping[str, Simulator]) -> None:
        """Put the robots into one world; none may have been advanced before.

        Args:
            robots: The simulators by name, made with the same walls.

        Raises:
            WorldError: Two robots are at the same place; the message names the one that does not fit.
        """
        self.robots = dict(robots)
        for name, robot in self.robots.items():
            try:
                robot.share([other for other in self.robots.values() if other is not robot], self.advance)
            except WorldError as error:
                raise WorldError(f"robot {name}: {error}") from None

    def advance(self, now: float) -> None:
        """Run all control cycles that end by `now` (s)."""
        first, *_ = robots = list(self.robots.values())
        for robot in robots:
            robot.start(now)
        while first.next_tick <= now:  # and so that of each other: all were started at the same time
            for robot in robots:
                robot.tick()
