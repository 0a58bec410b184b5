# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The owner of a simulated robot: lifts and carries it, holds a hand in front of a sonar, and measures with a tape."""

from __future__ import annotations

import math
from dataclasses import replace

from amigobot_driver.sim import Segment, Simulator, World, WorldError, WorldPose

from .owner import Action, Look, Measure, Request

#: m: half the width of a hand, its distance when it is held in front of a sonar, and when it touches the sonar
_HALF_HAND, _BEFORE, _TOUCH = 0.04, 0.2, 0.02
#: m and deg to which a tape is read
_TAPE, _PROTRACTOR = 0.001, 0.5
#: m/s of a wheel that turns visibly
_SEEN = 0.02
#: m: half the length of a wall
_WALL = 2.0


class SimulatedOwner:
    """Answers every request at once.

    Args:
        simulator: The robot.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._mark = simulator.truth.pose

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Agree."""
        return True

    def do(self, request: Request) -> bool:
        """Do what is asked for."""
        robot = self._simulator
        if request.action is Action.LIFT:
            self._put(())
            robot.lift(True)
        elif request.action in (Action.FLOOR, Action.AWAY):
            robot.lift(False)
            self._put(())
        elif request.action is Action.WALL:
            robot.lift(False)
            x = robot.profile.body.front + request.value
            self._put((Segment(x, -_WALL, x, _WALL),))
        elif request.action in (Action.HAND, Action.TOUCH):
            self._hold(int(request.value), _BEFORE if request.action is Action.HAND else _TOUCH)
        elif request.action is Action.BUTTON:
            robot.press_motors_button()
        return True

    def _put(self, segments: tuple[Segment, ...]) -> None:
        """Put the robot at the origin of a world with these walls, and mark its pose."""
        empty = World("free floor")
        self._simulator.replace_world(empty)
        self._simulator.place(WorldPose(0.0, 0.0, 0.0))
        self._simulator.replace_world(replace(empty, segments=segments))
        self._mark = self._simulator.truth.pose

    def _hold(self, number: int, distance: float) -> None:
        """Hold a hand in front of a sonar, as near as the body of the robot allows."""
        while True:
            try:
                self._put((self._hand(number, distance),))
                return
            except WorldError:
                distance += _TOUCH

    def _hand(self, number: int, distance: float) -> Segment:
        sonar = self._simulator.profile.sonar.poses[number]
        c, s = math.cos(sonar.heading), math.sin(sonar.heading)
        x, y = sonar.x + distance * c, sonar.y + distance * s
        return Segment(x - _HALF_HAND * s, y + _HALF_HAND * c, x + _HALF_HAND * s, y - _HALF_HAND * c)

    def measure(self, what: Measure, text: str) -> float | None:
        """Read the tape at the true pose."""
        pose, mark = self._simulator.truth.pose, self._mark
        dx, dy = pose.x - mark.x, pose.y - mark.y
        c, s = math.cos(mark.heading), math.sin(mark.heading)
        if what is Measure.TURNED:
            return _PROTRACTOR * round(
                math.degrees(math.remainder(pose.heading - mark.heading, math.tau)) / _PROTRACTOR
            )
        value = c * dx + s * dy if what is Measure.FORWARD else c * dy - s * dx
        return _TAPE * round(value / _TAPE)

    def look(self, what: Look, text: str) -> bool | None:
        """Look at the wheels as they were a moment ago; a simulated robot makes no sound."""
        truth = self._simulator.truth
        if what is Look.WHEELS_FORWARD:
            return min(truth.left_velocity, truth.right_velocity) > _SEEN
        if what is Look.LEFT_WHEEL_ONLY:
            return truth.left_velocity > _SEEN > abs(truth.right_velocity)
        return None

    def tell(self, text: str) -> None:
        """Take no notice."""

    def stopped(self) -> bool:
        """Press no key."""
        return False

    def after_stop(self) -> str:
        """End."""
        return "end"
