# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calls that move the robot or stop it, and what they allow it to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from amigobot_driver.robot import (
    Outcome,
    Refused,
)

from .allowance import Allowance
from .observed import ObservedWorld
from .records import Movement


class MotionCalls(ObservedWorld):
    """Velocities, movements with an end, stops."""

    def drive(self, linear: float, angular: float) -> bool:
        """cmd_vel; whether the velocity was accepted."""
        answer = self.call(lambda: self.robot.drive(linear, angular, self.now), Refused)
        return self._driving(answer, Allowance.of(linear, angular) if answer is None else Allowance())

    def drive_wheels(self, left: float, right: float) -> bool:
        """cmd_wheels; whether it was accepted. While one wheel catches up with the other the robot may turn."""
        answer = self.call(lambda: self.robot.drive_wheels(left, right, self.now), Refused)
        if isinstance(answer, Refused):
            return False
        fastest = max(abs(left), abs(right))
        turn = 2 * fastest / self.profile.body.track
        both = Allowance((-fastest, fastest), (-turn, turn))
        self._replaced()
        rest = not (left or right)
        self._allow(Allowance() if rest else both, until=math.inf if rest else self.now + self._timeout)
        return True

    def drive_heading(self, linear: float, yaw: float) -> bool:
        """cmd_heading; whether it was accepted."""
        answer = self.call(lambda: self.robot.drive_course(linear, yaw, self.now), Refused)
        if isinstance(answer, Refused):
            return False
        top = self._top_rates[1]
        return self._driving(answer, Allowance.of(linear, 0.0) | Allowance((0.0, 0.0), (-top, top)), clamp=False)

    def _driving(self, answer: object, allowance: Allowance, *, clamp: bool = True) -> bool:
        if isinstance(answer, Refused):
            return False
        if clamp:
            allowance = allowance.clamped(self.limits.linear, self.limits.angular)
        self._replaced()
        self._allow(allowance, until=self.now + self._timeout if allowance else math.inf)
        return True

    @property
    def _timeout(self) -> float:
        return float(self.values["cmd_vel_timeout"])

    @property
    def _top_rates(self) -> tuple[float, float]:
        """m/s, rad/s that the firmware's own movements reach, while commands may still change its limits."""
        linear = (self.witness.working("trans_vel_max") or 0) / 1000
        angular = math.radians(self.witness.working("rot_vel_max") or 0)
        return max(linear, self.profile.limits.linear), max(angular, self.profile.limits.angular)

    def move(self, distance: float) -> Movement | Refused:
        """The action move."""
        answer = self.call(lambda: self.robot.move(distance, self.now), Refused)
        if isinstance(answer, Refused):
            return answer
        top = math.copysign(self._top_rates[0], distance)
        allowance = Allowance.of(top, 0.0)
        if not self.witness.now.at_rest:
            allowance |= Allowance.of(-top, 0.0)  # measured from the request: it comes back from where it rolls to
        return self._started("move", distance, answer, allowance)

    def turn(self, angle: float, *, absolute: bool) -> Movement | Refused:
        """The action turn."""
        start = self.odometry.yaw
        answer = self.call(lambda: self.robot.turn(angle, self.now, absolute=absolute), Refused)
        if isinstance(answer, Refused):
            return answer
        top = self._top_rates[1]
        wanted = math.remainder(angle - start, math.tau) if absolute else angle
        return self._started("turn", wanted, answer, Allowance((0.0, 0.0), (-top, top)))

    def _started(self, what: str, wanted: float, task: Any, allowance: Allowance) -> Movement:
        self._replaced()
        witness = self.witness
        movement = Movement(what, wanted, task, witness.travel, witness.now.heading, self.now, allowance)
        # It begins with what the robot rolls on with, which is no part of the distance; packets may tell that late.
        resting = witness.now.at_rest and (self.odometry.linear, self.odometry.angular) == (0.0, 0.0)
        movement.in_order = resting and self.in_order and self.running
        movement.motors_coming = self.motors_are_coming
        self.movement = movement
        self.unfinished_movements.append(movement)
        self._allow(allowance)

        def ended(future: Future[Outcome]) -> None:
            movement.ended, movement.outcome, movement.linked = self.now, future.result(), self.running
            movement.end, movement.end_travel = self.witness.now, self.witness.travel
            movement.known = self.odometry.linear, self.odometry.angular
            self.unfinished_movements.remove(movement)
            self.finished_movements.append(movement)
            if self.movement is movement:
                self.movement = None
                self._allow(Allowance())

        task.ended.add_done_callback(ended)
        return movement

    def travelled(self, movement: Movement) -> float:
        """What the result of a movement says was travelled (m or rad), as the action computes it."""
        return movement.task.covered

    def stop(self) -> None:
        self._rest(lambda: self.robot.stop(self.now))

    def emergency_stop(self) -> None:
        self.emergency_asked = True
        self._rest(self.robot.emergency_stop)

    def clear_emergency_stop(self) -> None:
        self.emergency_asked = False
        self._rest(self.robot.clear_emergency_stop)

    def _rest(self, action: Callable[[], None]) -> None:
        self.call(action)
        self._replaced()
        self._allow(Allowance())
