# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot on simulated time, and the person beside it, who lifts and carries it and reads the tape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from amigobot_driver.sim import Segment, Simulator, World, WorldError, WorldPose
from amigobot_driver.stepped_driver import SteppedDriver

from ..person import Person
from .client import Client

_HAND = 0.04  # m, half its width
_TOUCH = 0.02  # m, of a hand that touches a sonar
_TAPE = 0.001  # m, to which a tape is read
_PROTRACTOR = 0.5  # deg, to which an angle is read
_SEEN = 0.02  # m/s of a wheel that turns visibly
_WALL = 2.0  # m, half its length


def simulated(simulator: Simulator, stopped: Callable[[], bool] = lambda: False) -> tuple[Client, SimulatedPerson]:
    """Return a client of a simulated robot, on simulated time, and who is at the robot."""
    return Client(partial(SteppedDriver, line=simulator), stopped), SimulatedPerson(simulator)


class SimulatedPerson(Person):
    """Answers every request at once."""

    def __init__(self, simulator: Simulator) -> None:
        super().__init__()
        self._simulator = simulator

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Agree."""
        return True

    def do(self, what: str, text: str, distance: float = 0.0) -> bool:
        """Do what is asked for."""
        if what == "TOUCH":
            self._hold(0, _TOUCH)
        elif what != "WIRE":
            self._simulator.lift(what == "LIFT")
            x = self._simulator.profile.body.front + distance
            self._put(*[Segment(x, -_WALL, x, _WALL)] * (what == "WALL"))
        return True

    def measure(self, what: str, text: str) -> float:
        """Read the tape at the true pose; the mark is at the origin."""
        pose = self._simulator.truth.pose
        if what == "TURNED":
            return _PROTRACTOR * round(math.degrees(math.remainder(pose.heading, math.tau)) / _PROTRACTOR)
        return _TAPE * round((pose.x if what == "FORWARD" else pose.y) / _TAPE)

    def look(self, what: str, text: str) -> bool:
        """Look at the wheels as they were a moment ago."""
        truth = self._simulator.truth
        left_only = truth.left_velocity > _SEEN > abs(truth.right_velocity)
        return left_only if what == "LEFT_WHEEL_ONLY" else min(truth.left_velocity, truth.right_velocity) > _SEEN

    def _put(self, *segments: Segment) -> None:
        """Put the robot at the origin of a world with these walls."""
        empty = World("free floor")
        self._simulator.replace_world(empty)
        self._simulator.place(WorldPose(0.0, 0.0, 0.0))
        self._simulator.replace_world(replace(empty, segments=segments))

    def _hold(self, number: int, distance: float) -> None:
        """Hold a hand in front of a sonar, as near as the body of the robot allows."""
        sonar = self._simulator.profile.sonar.poses[number]
        place = WorldPose(sonar.x, sonar.y, sonar.heading).place
        try:
            self._put(Segment(*place(distance, _HAND), *place(distance, -_HAND)))
        except WorldError:
            self._hold(number, distance + _TOUCH)
