"""The drive as the firmware runs it: motion server, servo, stall monitors and odometer around two wheels."""

from __future__ import annotations

import math
from enum import Enum, auto

from .body import Body, Idle
from .motion import Distance, Goal, MotionServer
from .odometer import Odometer
from .parameters import FlashParameters
from .servo import Gains, StallMonitor, WheelServo

#: ticks in one control cycle, about 3 mm/s, up to which a wheel counts as not turning
_STANDING = 1


class Halt(Enum):
    """Why the wheels are braked although the motors are on."""

    EMERGENCY = auto()  #: E_STOP, until the next motion command
    WATCHDOG = auto()  #: the client is silent, until its next packet


class Drive:
    """Everything between a motion command and the wheels. Works on the parameters in `working`, m and rad."""

    def __init__(self, body: Body, flash: FlashParameters) -> None:
        self._body = body
        self.odometer = Odometer(body, flash)
        self.servo = WheelServo()
        self.left_stall, self.right_stall = StallMonitor(), StallMonitor()
        self.motors_on = False
        self.restart(flash)

    def restart(self, working: FlashParameters) -> None:
        """Begin a session: motors off, no goals, these parameters."""
        self.working = working
        self._halts: set[Halt] = set()
        self.server = MotionServer(half_track=1.0)
        # TransVelMax and RotVelMax from FLASH pace MOVE and HEAD; what a client sends caps VEL and RVEL too.
        self._cap_v, self._cap_w = working.trans_vel_top, working.rot_vel_top
        self.configure()
        self.enable(False)

    def configure(self) -> None:
        """Take over changed parameters."""
        p, server = self.working, self.server
        server.half_track = p.ticks_per_turn / math.tau / p.ticks_per_meter
        translation, rotation = server.translation_rates, server.rotation_rates
        translation.top, translation.cruise = self._cap_v / 1000, p.trans_vel_max / 1000
        translation.acceleration, translation.deceleration = p.trans_acc / 1000, p.trans_decel / 1000
        translation.brakes_only_to_zero = rotation.brakes_only_to_zero = p.brakes_only_to_zero
        rotation.top, rotation.cruise = math.radians(self._cap_w), math.radians(p.rot_vel_max)
        rotation.acceleration, rotation.deceleration = math.radians(p.rot_acc), math.radians(p.rot_decel)
        self._translation_gains, self._rotation_gains = Gains.translation(p), Gains.rotation(p)

    def limit_speed(self, top: int) -> None:
        """SETV, mm/s."""
        self.working.trans_vel_max = self._cap_v = max(1, min(top, self.working.trans_vel_top))
        self.configure()

    def set_acceleration(self, value: int) -> None:
        """Execute SETA: change the acceleration or the deceleration.

        Args:
            value: Positive for the acceleration, negative for the deceleration, in mm/s^2; 0 is ignored.
        """
        if value:
            name = "trans_acc" if value > 0 else "trans_decel"
            self.set_parameter(name, min(abs(value), self.working.trans_acc_top))

    def set_turn_acceleration(self, value: int) -> None:
        """Execute SETRA: change the angular acceleration or deceleration.

        Args:
            value: Positive for the acceleration, negative for the deceleration, in deg/s^2; 0 is ignored.
        """
        if value:
            name = "rot_acc" if value > 0 else "rot_decel"
            self.set_parameter(name, min(abs(value), self.working.rot_acc_top))

    def set_parameter(self, name: str, value: int) -> None:
        """Change one working parameter and apply it.

        Args:
            name: Field of the parameters.
            value: New value, in the field's unit.
        """
        setattr(self.working, name, value)
        self.configure()

    def limit_turn_rate(self, top: int) -> None:
        """SETRV, deg/s."""
        self.working.rot_vel_max = self._cap_w = max(1, min(top, self.working.rot_vel_top))
        self.configure()

    # --- commands ------------------------------------------------------------------------------------------

    def enable(self, on: bool) -> None:
        """ENABLE, or the MOTORS button. Motors come on standing still; switched off, the wheels are limp."""
        self.motors_on = on
        self.server.stop()
        self.servo.let_go()
        self.left_stall, self.right_stall = StallMonitor(), StallMonitor()

    def translate(self, goal: Goal) -> None:
        """VEL, MOVE. As all motion commands, without effect while the motors are off."""
        if self._accepts_motion():
            self.server.translate(goal)

    def rotate(self, goal: Goal) -> None:
        """RVEL, ROTATE."""
        if self._accepts_motion():
            self.server.rotate(goal)

    def turn_to(self, heading: float) -> None:
        """HEAD: an absolute heading, the shorter way round."""
        self.rotate(Distance(math.remainder(heading - self._set_point_heading, math.tau)))

    def turn_by(self, angle: float) -> None:
        """DHEAD: from where the robot points now."""
        self.turn_to(self.odometer.heading + angle)

    def turn_from_target(self, angle: float) -> None:
        """DCHEAD: from the last heading asked for."""
        self.turn_to(self.control + angle)

    def drive_wheels(self, left: float, right: float) -> None:
        """VEL2."""
        if self._accepts_motion():
            self.server.drive_wheels(left, right)

    def stop(self) -> None:
        """STOP."""
        self.server.stop()

    def emergency_stop(self) -> None:
        """E_STOP: brake as hard as the motors can, and forget all goals."""
        self.server.stop()
        self._halts.add(Halt.EMERGENCY)

    def stall(self) -> None:
        """A bumper that counts as a stall was hit: forget the goals, and no power for as long as after a stall."""
        if self.motors_on:
            self.server.stop()
            self.left_stall.trip(self.working.stall_pause)
            self.right_stall.trip(self.working.stall_pause)

    def suspend(self) -> None:
        """The watchdog: brake, but remember the goals."""
        self._halts.add(Halt.WATCHDOG)

    def resume(self) -> None:
        """The client is back: go on with the remembered goals."""
        self._halts.discard(Halt.WATCHDOG)

    def _accepts_motion(self) -> bool:
        if self.motors_on:
            self._halts.discard(Halt.EMERGENCY)
        return self.motors_on

    # --- state ---------------------------------------------------------------------------------------------

    @property
    def stalls(self) -> tuple[bool, bool]:
        """Whether the left and the right wheel are stalled."""
        return self.left_stall.stalled, self.right_stall.stalled

    @property
    def control(self) -> float:
        """The heading that the servo aims at, rad (CONTROL in the SIP)."""
        return self._set_point_heading + self.server.turn_left_over

    @property
    def _set_point_heading(self) -> float:
        behind = (self.servo.right_error - self.servo.left_error) / 2
        return self.odometer.heading + behind / self.server.half_track

    # --- the 10 ms tick ------------------------------------------------------------------------------------

    def step(self, dt: float) -> None:
        """One control tick."""
        left, right = self._body.left, self._body.right
        if not self.motors_on or self._halts:
            self._roll(Idle.BRAKE if self.motors_on else Idle.COAST, dt)
            return
        wanted = self.server.step(dt)
        errors = wanted[0] - left.velocity, wanted[1] - right.velocity
        translation = self._translation_gains
        rotation = translation if self.server.direct else self._rotation_gains
        powers = self.servo.powers(translation, rotation, errors, self.working.full_power, dt)
        monitors = self.left_stall, self.right_stall
        self._body.step(
            (Idle.COAST if monitors[0].cut else powers[0], Idle.COAST if monitors[1].cut else powers[1]), dt
        )
        turned = self.odometer.update(self.working)
        reach = max(translation.reach, rotation.reach)
        missed = (wanted[0] - left.velocity) * dt, (wanted[1] - right.velocity) * dt
        self.server.give_up(*self.servo.fall_behind(*missed, reach))
        for monitor, power, ticks, velocity in zip(monitors, powers, turned, wanted, strict=True):
            monitor.step(self.working, power, turned=abs(ticks) > _STANDING, wanted=velocity, dt=dt)
        if monitors[0].cut or monitors[1].cut:
            # Without power for now: the set-points wait for the wheels, and the retry is gentle.
            self.server.give_up(*self.servo.let_go(left=monitors[0].cut, right=monitors[1].cut))
            self.server.follow(left.velocity, right.velocity)

    def _roll(self, idle: Idle, dt: float) -> None:
        """A tick without power: the set-points follow the wheels, so that power comes back without a jerk."""
        body = self._body
        self._body.step((idle, idle), dt)
        self.odometer.update(self.working)
        self.server.give_up(*self.servo.let_go())
        self.server.give_up(-body.left.velocity * dt, -body.right.velocity * dt)
        self.server.follow(body.left.velocity, body.right.velocity)
