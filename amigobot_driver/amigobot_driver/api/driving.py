# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Driving: velocities that expire, movements with an end, and stops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import AmigoBotError, ConnectionLostError, MotionFailedError, RequestFailedError, RequestRefusedError
from ..robot import MotionFeedback, MotionGoal, Report, Robot
from .arguments import number
from .connection import Connection

#: Longest interval (s) between two repetitions of a velocity.
_REPEAT = 0.1
_EFFECT = 0.3  # s after a stop until packets show its effect
_REST_LIMIT = 5.0  # s after a stop until the robot is at rest, at the latest


class Driving(Connection):
    """Velocities, turns, moves and stops."""

    def drive(self, linear: float, angular: float = 0.0, duration: float | None = None) -> None:
        """Drive with a velocity.

        With a duration: block, stop, and return when the robot is at rest. Ctrl-C stops the robot at once.

        Without: return at once. The velocity expires after `options.command_timeout` (0.5 s) unless `drive` is called
        again; then the robot stops. So a program that hangs does not drive into a wall.

        Velocities beyond the limits of the robot are scaled down, on the same curve.

        Args:
            linear: m/s, negative backwards.
            angular: rad/s, counter-clockwise positive.
            duration: Seconds to drive, without the braking.

        Raises:
            RequestRefusedError: A value is not a finite number, the motors are off, or the emergency stop is latched.
            MotionFailedError: The drive ended before its duration was over, also because the connection was lost.
            RequestFailedError: The robot still moves 5 s after the end.
            ConnectionLostError: The robot was not connected at the start, or is lost while it brakes afterwards.
        """
        linear, angular = number("linear", linear), number("angular", angular)
        self._hold(duration, lambda robot, now: robot.motion.drive(linear, angular, now))

    def drive_wheels(self, left: float, right: float, duration: float | None = None) -> None:
        """Drive with a velocity for each wheel, otherwise and in its errors like `drive`.

        Args:
            left: m/s at the rim of the left wheel.
            right: m/s at the rim of the right wheel.
            duration: Seconds to drive; None returns at once.
        """
        left, right = number("left", left), number("right", right)
        self._hold(duration, lambda robot, now: robot.motion.drive_wheels(left, right, now))

    def drive_heading(self, linear: float, yaw: float, duration: float | None = None) -> None:
        """Drive while the robot turns to a heading and keeps it, otherwise and in its errors like `drive`.

        Args:
            linear: m/s, negative backwards.
            yaw: The heading in the odometry frame, rad.
            duration: Seconds to drive; None returns at once.
        """
        linear, yaw = number("linear", linear), number("yaw", yaw)
        self._hold(duration, lambda robot, now: robot.motion.drive_heading(linear, yaw, now))

    def turn(self, angle: float, *, absolute: bool = False) -> float:
        """Turn on the spot, and return when the robot is at rest. Ctrl-C stops the robot.

        Args:
            angle: rad, counter-clockwise positive, 1 deg to half a turn.
            absolute: Turn to this heading in the odometry frame instead, the shorter way round.

        Returns:
            The angle that was turned, rad, as the wheels measured it.

        Raises:
            RequestRefusedError: The angle is out of range, the motors are off, or the emergency stop is latched.
            MotionFailedError: The turn ended before its goal, also because the connection was lost; `travelled` is the
                angle, rad.
            ConnectionLostError: The robot was not connected at the start.
        """
        with self._stopped_if_interrupted():
            self.start_turn(angle, absolute=absolute)
            return self.get_result()

    def move(self, distance: float) -> float:
        """Drive straight on, and return when the robot is at rest. Ctrl-C stops the robot.

        Args:
            distance: m, 0.001 to 32, negative backwards.

        Returns:
            The distance that was travelled, m, as the wheels measured it.

        Raises:
            RequestRefusedError: The distance is out of range, the motors are off, or the emergency stop is latched.
            MotionFailedError: The move ended before its goal, also because the connection was lost; `travelled` is the
                distance, m.
            ConnectionLostError: The robot was not connected at the start.
        """
        with self._stopped_if_interrupted():
            self.start_move(distance)
            return self.get_result()

    def start_turn(self, angle: float, *, absolute: bool = False) -> None:
        """Start a turn and return at once. The arguments and the errors at the start are those of `turn`."""
        angle = number("angle", angle)
        self._start(lambda robot, now: robot.turn(angle, now, absolute=absolute))

    def start_move(self, distance: float) -> None:
        """Start a move and return at once. The argument and the errors at the start are those of `move`."""
        distance = number("distance", distance)
        self._start(lambda robot, now: robot.move(distance, now))

    def is_task_complete(self) -> bool:
        """Return whether the newest turn or move has ended, or none was started."""
        return self._goal is None or self._goal.ended.done()

    def get_feedback(self) -> MotionFeedback | None:
        """Return how far the newest turn or move has come, rad or m; None before the first one."""
        with self._driver.robot():
            return self._goal.feedback() if self._goal else None

    def cancel_task(self) -> None:
        """Stop the newest turn or move if it is in progress; `get_result` then raises MotionFailedError."""
        with self._driver.robot() as robot:
            if self._goal:
                robot.motion.cancel(self._goal)

    def get_result(self) -> float:
        """Wait until the newest turn or move has ended.

        Returns:
            What was covered, rad or m, as the wheels measured it.

        Raises:
            RequestRefusedError: No movement was started.
            MotionFailedError: It ended before its goal, also because the connection was lost.
        """
        goal = self._goal
        if goal is None:
            raise RequestRefusedError("no movement was started: call start_turn or start_move first")
        outcome = self._wait(goal.ended, math.inf)
        if not outcome.success:
            raise MotionFailedError(outcome.message, goal.covered)
        return goal.covered

    def stop(self, *, wait: bool = True) -> None:
        """Stop with the normal deceleration; the next velocity drives again.

        Args:
            wait: Return when the robot is at rest; otherwise return at once.

        Raises:
            ConnectionLostError: The robot is not connected; its watchdog stops it.
            RequestFailedError: The robot still moves 5 s later.
        """
        with self._hub.stream((Report,), maxlen=10) as reports:
            self._stop()
            self._check_connected()
            began = self._driver.clock()
            while wait and (remaining := began + _REST_LIMIT - self._driver.clock()) > 0:
                report = reports.get(remaining)
                wait = report is None or report.moving or report.stamp < began + _EFFECT
        if wait:
            self._check_connected()
            raise RequestFailedError(f"the robot still moves {_REST_LIMIT:g} s after the stop")

    def emergency_stop(self) -> None:
        """Brake as hard as the robot can, and refuse to move until `clear_emergency_stop`.

        Works without a connection, too: then the stop is sent first of all after the reconnect.
        """
        with self._locked(connected=False) as (robot, _):
            robot.motion.emergency_stop()

    def clear_emergency_stop(self) -> None:
        """Accept velocities again; the robot stays at rest until one comes."""
        with self._locked(connected=False) as (robot, now):
            robot.motion.clear_emergency_stop(now)

    @property
    def emergency_stopped(self) -> bool:
        """Whether the emergency stop is latched."""
        with self._driver.robot() as robot:
            return robot.motion.emergency

    def enable_motors(self, on: bool = True) -> str:
        """Switch the motors, and wait until the robot has confirmed it. Requested velocities end.

        Args:
            on: False switches them off; the robot can then be pushed.

        Returns:
            What the robot has confirmed.

        Raises:
            RequestFailedError: The robot has not done it.
            ConnectionLostError: The robot is not connected.
        """
        return self._request(lambda robot, now: robot.enable_motors(bool(on), now)).message

    # -- inside -----------------------------------------------------------------------------------------------

    _goal: MotionGoal | None = None  #: the newest turn or move
    _orders = 0  #: movements and stops that were requested: a newer one ends a drive that is repeated

    def _stop(self) -> None:
        with self._driver.robot() as robot:
            self._orders += 1
            robot.motion.stop(self._driver.clock())

    @contextmanager
    def _stopped_if_interrupted(self) -> Iterator[None]:
        """Stop the robot if the block, which requests a movement and waits for it, is interrupted.

        Ctrl-C interrupts it, and so does every other exception that is not an AmigoBotError.
        """
        try:
            yield
        except AmigoBotError:
            raise
        except BaseException:
            self._stop()
            raise

    def _hold(self, duration: float | None, request: Callable[[Robot, float], None]) -> None:
        """Make a request for a velocity once, or repeat it for some seconds and stop."""
        if duration is not None and not 0 <= number("duration", duration) < math.inf:
            raise RequestRefusedError(f"duration is {duration:g} s, allowed: at least 0 s")
        with self._stopped_if_interrupted():
            with self._locked() as (robot, began):
                robot.motion.check_motors()
                request(robot, began)
                self._orders += 1
                order, start = self._orders, robot.estimator.odometer.state.travelled
            if duration is None:
                return
            period = min(_REPEAT, self.options.command_timeout / 4)
            try:
                while (remaining := began + duration - self._driver.clock()) > 0:
                    self._driver.wait(lambda: self._orders != order, min(period, remaining))
                    with self._locked() as (robot, now):
                        if self._orders != order:
                            raise self._ended(start, "another movement or a stop was requested")
                        robot.motion.check_motors()
                        request(robot, now)
            except (RequestRefusedError, ConnectionLostError) as error:
                self._stop()
                why = f"after {self._driver.clock() - began:.1f} s of {duration:g} s: {error}"
                raise self._ended(start, why) from None
            self.stop()

    def _ended(self, start: float, why: str) -> MotionFailedError:
        """Return the error of a drive that began when the robot had travelled `start` m."""
        with self._driver.robot() as robot:
            travelled = robot.estimator.odometer.state.travelled - start
        return MotionFailedError(f"the drive ended after {travelled:.3f} m: {why}", travelled)

    def _start(self, start: Callable[[Robot, float], MotionGoal]) -> None:
        """Start a movement with an end."""
        with self._stopped_if_interrupted(), self._locked() as (robot, now):
            self._goal = start(robot, now)
            self._orders += 1
