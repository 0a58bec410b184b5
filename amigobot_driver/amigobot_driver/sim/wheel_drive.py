# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The firmware's drive: motion server, servo, stall monitors and odometer around two wheels."""

from __future__ import annotations

import math

from .body import IdleMode, SimulatedBody
from .flash import Flash
from .motion_server import Distance, Goal, MotionServer, Velocity
from .odometer import SimulatedOdometer
from .servo import Gains, StallProtection, WheelServo

#: encoder ticks in one control cycle (about 3 mm/s) up to which a wheel is at rest
_AT_REST = 1


class WheelDrive:
    """Turns motion commands into motor power. Units are m, rad and s."""

    def __init__(self, body: SimulatedBody, flash: Flash) -> None:
        """Start with the motors off.

        Args:
            body: The wheels; the physics of its profile say how exactly the drive follows its commands.
            flash: Tuning values that a reset loads; they give the resolution of the encoders.
        """
        self._body, self._physics = body, body.profile.physics
        self.odometer = SimulatedOdometer(body, flash)
        self.servo = WheelServo()
        self.restart(flash)

    def restart(self, tuning: Flash) -> None:
        """Begin or end a session: motors off, no goals.

        Args:
            tuning: Tuning values that commands change from now on.
        """
        self.tuning = tuning
        self._braking = False  #: after E_STOP, until the next motion command
        self.server = MotionServer()
        # TransVelMax and RotVelMax from FLASH limit MOVE and HEAD; what a client sends limits VEL and RVEL too.
        self._caps = {"trans": tuning.trans_vel_top, "rot": tuning.rot_vel_top}
        self.configure()
        self.enable(False)

    def configure(self) -> None:
        """Apply changed tuning values."""
        p, server, physics = self.tuning, self.server, self._physics
        server.half_track = p.ticks_per_turn / math.tau / p.ticks_per_meter
        translation, rotation = server.translation_limits, server.rotation_limits
        translation.top, translation.cruise = self._caps["trans"] / 1000, p.trans_vel_max / 1000
        translation.acceleration = physics.acceleration_ratio * p.trans_acc / 1000
        translation.deceleration = physics.deceleration_ratio * p.trans_decel / 1000
        translation.brakes_only_to_zero = rotation.brakes_only_to_zero = p.BRAKES_ONLY_TO_ZERO
        rotation.top, rotation.cruise = math.radians(self._caps["rot"]), math.radians(p.rot_vel_max)
        rotation.acceleration = physics.turn_acceleration_ratio * math.radians(p.rot_acc)
        rotation.deceleration = physics.turn_deceleration_ratio * math.radians(p.rot_decel)
        self._translation_gains, self._rotation_gains = Gains.of(p, "trans"), Gains.of(p, "rot")

    def tune(self, name: str, value: int) -> None:
        """Change one tuning value and apply it.

        Args:
            name: Field of `Flash`.
            value: New value, in the field's unit.
        """
        setattr(self.tuning, name, value)
        self.configure()

    def limit(self, axis: str, top: int) -> None:
        """Execute SETV or SETRV.

        Args:
            axis: "trans" or "rot".
            top: Largest speed in mm/s or deg/s; limited to 1 and the maximum in FLASH.
        """
        self._caps[axis] = max(1, min(top, getattr(self.tuning, f"{axis}_vel_top")))
        self.tune(f"{axis}_vel_max", self._caps[axis])

    def set_rate(self, axis: str, value: int) -> None:
        """Execute SETA or SETRA.

        Args:
            axis: "trans" or "rot".
            value: Positive for the acceleration, negative for the deceleration, mm/s^2 or deg/s^2; 0 is ignored.
        """
        if value:
            rate = min(abs(value), getattr(self.tuning, f"{axis}_acc_top"))
            self.tune(f"{axis}_{'acc' if value > 0 else 'decel'}", rate)

    # --- commands ------------------------------------------------------------------------------------------

    def enable(self, on: bool) -> None:
        """Switch the motors on or off and cancel all goals; without power the wheels coast."""
        self.motors_on = on
        self.server.stop()
        self.servo.clear_errors()
        self._stall_protections = StallProtection(), StallProtection()

    def translate(self, goal: Goal) -> None:
        """Execute VEL or MOVE. Like all motion commands, it has no effect while the motors are off.

        Args:
            goal: Velocity in m/s or distance in m; positive is forward.
        """
        if self._accepts_motion():
            self.server.translate(_scaled(goal, self._physics.velocity_ratio))

    def rotate(self, goal: Goal) -> None:
        """Execute RVEL or ROTATE.

        Args:
            goal: Turn rate in rad/s or angle in rad; positive is counter-clockwise.
        """
        if self._accepts_motion():
            self.server.rotate(_scaled(goal, self._physics.turn_rate_ratio))

    def turn_to(self, heading: float) -> None:
        """Execute HEAD: turn to an absolute heading in rad, in the shorter direction."""
        self.rotate(Distance(math.remainder(heading - self._set_point_heading, math.tau)))

    def drive_wheels(self, left: float, right: float) -> None:
        """Execute VEL2: set the velocity of each wheel in m/s."""
        if self._accepts_motion():
            self.server.drive_wheels(left, right)

    def emergency_stop(self) -> None:
        """Execute E_STOP: brake as hard as the motors can, and cancel all goals."""
        self.server.stop()
        self._braking = True

    def stall(self) -> None:
        """Handle a hit bumper that counts as a stall: cancel all goals, and cut the power as after a stall."""
        if self.motors_on:
            self.server.stop()
            for protection in self._stall_protections:
                protection.trip(self.tuning.stall_pause)

    def _accepts_motion(self) -> bool:
        if self.motors_on:
            self._braking = False
        return self.motors_on

    # --- state ---------------------------------------------------------------------------------------------

    @property
    def stalls(self) -> tuple[bool, bool]:
        """Whether the left and the right wheel are stalled."""
        left, right = self._stall_protections
        return left.stalled, right.stalled

    @property
    def control(self) -> float:
        """Target heading of the servo in rad (CONTROL in the SIP)."""
        return self._set_point_heading + self.server.remaining_turn

    @property
    def _set_point_heading(self) -> float:
        left, right = self.servo.errors
        return self.odometer.heading + (right - left) / 2 / self.server.half_track

    # --- the 10 ms tick ------------------------------------------------------------------------------------

    def step(self, dt: float) -> None:
        """Run one control cycle of `dt` s."""
        left, right = self._body.left, self._body.right
        if not self.motors_on or self._braking:
            self._step_unpowered(IdleMode.BRAKE if self.motors_on else IdleMode.COAST, dt)
            return
        target = self.server.step(dt)
        errors = target[0] - left.velocity, target[1] - right.velocity
        translation = self._translation_gains
        rotation = translation if self.server.direct else self._rotation_gains
        powers = self.servo.powers(translation, rotation, errors, self.tuning.full_power, dt)
        left_stall, right_stall = self._stall_protections
        left_power = IdleMode.COAST if left_stall.power_off else powers[0]
        right_power = IdleMode.COAST if right_stall.power_off else powers[1]
        self._body.step((left_power, right_power), dt)
        turned = self.odometer.update(self.tuning)
        slipped = self.odometer.slipped * self.server.half_track
        self.server.return_distance(-slipped, slipped)
        reach = max(translation.reach, rotation.reach)
        missed = (target[0] - left.velocity) * dt, (target[1] - right.velocity) * dt
        self.server.return_distance(*self.servo.add_errors(missed, reach))
        left_stall.step(self.tuning, powers[0], turned=abs(turned[0]) > _AT_REST, target=target[0], dt=dt)
        right_stall.step(self.tuning, powers[1], turned=abs(turned[1]) > _AT_REST, target=target[1], dt=dt)
        left_off, right_off = left_stall.power_off, right_stall.power_off
        if left_off or right_off:
            # The set-points follow a wheel without power, so that the retry does not jerk.
            self.server.return_distance(*self.servo.clear_errors(left=left_off, right=right_off))
            self.server.match_wheels(left.velocity, right.velocity)

    def _step_unpowered(self, idle: IdleMode, dt: float) -> None:
        """Run a cycle without power: the set-points follow the wheels, so that power returns without a jerk."""
        body = self._body
        self._body.step((idle, idle), dt)
        self.odometer.update(self.tuning)
        self.server.return_distance(*self.servo.clear_errors())
        self.server.return_distance(-body.left.velocity * dt, -body.right.velocity * dt)
        self.server.match_wheels(body.left.velocity, body.right.velocity)


def _scaled(goal: Goal, ratio: float) -> Goal:
    """Return a velocity goal times a ratio; a distance stays."""
    return Velocity(goal.value * ratio) if isinstance(goal, Velocity) else goal
