# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What moves the robot: velocities, moves, turns, stops."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from amigobot_driver.robot import Refused

from . import values
from .base import Base, rule
from .oracle import Violation


class MotionRules(Base):
    """Every command that has to do with the wheels."""

    @rule(linear=values.FRACTIONS, angular=values.FRACTIONS, pause=values.PAUSES)
    def drive(self, linear: float, angular: float, pause: float) -> None:
        """One velocity, and then nothing more."""
        limits = self.world.profile.limits
        ready = self.world.can_be_driven
        accepted = self.world.drive(linear * limits.linear, angular * limits.angular)
        self._must_be_number(accepted, linear, angular)
        if ready and not accepted and math.isfinite(linear + angular):
            self._must_not_refuse("velocity", linear, angular)
        self.advance(pause)

    @rule(linear=values.INSIDE, angular=values.INSIDE, duration=values.DURATIONS)
    def drive_on(self, linear: float, angular: float, duration: float) -> None:
        """A velocity, published for a while."""
        limits = self.world.profile.limits
        self.drive_for(linear * limits.linear, angular * limits.angular, duration)

    @rule(linear=values.INSIDE, angular=values.INSIDE)
    def get_ready_and_drive(self, linear: float, angular: float) -> None:
        """Put all in order as a user would who sees that the robot does not drive, and drive on."""
        world = self.world
        world.heal()
        world.clear_emergency_stop()
        for _ in range(40):
            if world.running:
                break
            self.advance(0.5)
        world.enable_motors(True)
        self.advance(2.5)
        limits = world.profile.limits
        self.drive_for(linear * limits.linear, angular * limits.angular, 3.5)

    @rule(linear=st.sampled_from((1.0, -1.0, 0.5)), limit=st.sampled_from((0.05, 0.1, 0.3)))
    def limit_what_is_driven(self, linear: float, limit: float) -> None:
        """A lower limit while a velocity is driven that lasts for long."""
        world = self.world
        before = world.values["cmd_vel_timeout"], world.values["max_linear_velocity"]
        world.set_parameter("cmd_vel_timeout", 2.0)
        top = world.profile.limits.linear
        world.drive(linear * top, 0.0)
        self.advance(0.6)
        world.set_parameter("max_linear_velocity", limit * top)
        self.advance(1.3)
        world.stop()
        world.set_parameter("cmd_vel_timeout", before[0])
        world.set_parameter("max_linear_velocity", before[1])

    @rule(left=values.FRACTIONS, right=values.FRACTIONS, pause=values.PAUSES)
    def drive_wheels(self, left: float, right: float, pause: float) -> None:
        """One velocity for each wheel."""
        top = self.world.profile.limits.linear
        self._must_be_number(self.world.drive_wheels(left * top, right * top), left, right)
        self.advance(pause)

    @rule(linear=values.FRACTIONS, yaw=values.HEADINGS, pause=values.PAUSES)
    def drive_heading(self, linear: float, yaw: float, pause: float) -> None:
        """A velocity on a heading."""
        accepted = self.world.drive_heading(linear * self.world.profile.limits.linear, yaw)
        self._must_be_number(accepted, linear, yaw)
        self.advance(pause)

    @rule(distance=values.DISTANCES, pause=values.PAUSES)
    def move(self, distance: float, pause: float) -> None:
        """Begin to drive a distance."""
        answer = self._move(distance)
        self._must_be_number(not isinstance(answer, Refused), distance)
        self.advance(pause)

    @rule(distance=values.DISTANCES)
    def move_to_the_end(self, distance: float) -> None:
        """Drive a distance, and wait for the result."""
        if not isinstance(self._move(distance), Refused):
            self._finish()

    def _move(self, distance: float) -> object:
        coming = self.world.motors_are_coming
        answer = self.world.move(distance)
        if coming and isinstance(answer, Refused) and "motors are off" in str(answer):
            raise Violation(f"MotorsAreWaitedFor: a move was refused while the motors were coming: {answer}")
        return answer

    @rule(angle=values.ANGLES, absolute=st.booleans(), pause=values.PAUSES)
    def turn(self, angle: float, absolute: bool, pause: float) -> None:
        """Begin to turn."""
        answer = self.world.turn(angle, absolute=absolute)
        self._must_be_number(not isinstance(answer, Refused), angle)
        self.advance(pause)

    @rule(angle=values.ANGLES)
    def turn_to_the_end(self, angle: float) -> None:
        """Turn, and wait for the result."""
        if not isinstance(self.world.turn(angle, absolute=False), Refused):
            self._finish()

    @rule(
        distance=st.sampled_from((0.3, -0.4, 0.8)),
        angle=st.sampled_from((0.0, 0.0, 1.0, -2.0)),
        after=st.sampled_from((0.25, 0.5, 1.0)),
        pose=values.POSES,
    )
    def set_odometry_on_the_way(
        self, distance: float, angle: float, after: float, pose: tuple[float, float, float]
    ) -> None:
        """A movement during which the odometry is set; no angle: straight on."""
        movement = self.world.turn(angle, absolute=False) if angle else self._move(distance)
        self.advance(after)
        self.world.set_odometry(*pose)
        if not isinstance(movement, Refused):
            self._finish()

    @rule(distance=st.sampled_from((0.1, 0.3, -0.4)), within=st.sampled_from((0.0, 0.05, 0.3)))
    def move_in_a_new_session(self, distance: float, within: float) -> None:
        """The cable is out for a while; a movement begins as soon as the robot is found."""
        world = self.world
        world.heal()
        world.unplug()
        self.advance(0.5)
        world.plug_in()
        for _ in range(400):
            if world.running:
                break
            self.advance(0.02)
        self.advance(within)
        if not isinstance(self._move(distance), Refused):
            self._finish()

    @rule(when=lambda self: self.failure is None and self.world.movement is not None)
    def finish(self) -> None:
        """Wait for the result of the movement."""
        self._finish()

    def _finish(self) -> None:
        for _ in range(24):
            if self.world.movement is None:
                return
            self.advance(0.5)

    @rule(pause=values.PAUSES)
    def stop(self, pause: float) -> None:
        """The service stop, or the cancel of an action."""
        self.world.stop()
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def emergency_stop(self, pause: float) -> None:
        """The service emergency_stop."""
        self.world.emergency_stop()
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def clear_emergency_stop(self, pause: float) -> None:
        """The service clear_emergency_stop."""
        self.world.clear_emergency_stop()
        self.advance(pause)

    @rule(pose=values.POSES, pause=values.PAUSES)
    def set_odometry(self, pose: tuple[float, float, float], pause: float) -> None:
        """The services set_odometry and reset_odometry."""
        self.world.set_odometry(*pose)
        self.advance(pause)

    @staticmethod
    def _must_not_refuse(what: str, *shares: float) -> None:
        raise Violation(f"VelocitiesAreClamped: a {what} of {shares} times the limits was refused")

    @staticmethod
    def _must_be_number(accepted: bool, *numbers: float) -> None:
        if accepted and not all(map(math.isfinite, numbers)):
            raise Violation(f"a value that is no number was accepted: {numbers}")
