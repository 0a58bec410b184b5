# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The firmware's wheel servo, from position errors to PWM, and its stall monitor (AmigoBot manual ch. 3, 5).

The D term multiplies the velocity error: it damps in proportion to the velocity, as the manual says. Translation and
rotation have separate terms: the mean of the two wheels' errors is translation, half their difference rotation. In
direct wheel mode the translation terms serve both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .flash import Flash

# With the defaults 40/80/0 a wheel follows in about 0.1 s without overshoot, as a small gear motor does.
_KP = 0.85  # share of full PWM per m, of one count of Kp
_KV = 0.0375  # share of full PWM per m/s, of one count of Kv
_KI = 2.0  # share of full PWM per m s, of one count of Ki
_MAX_ERROR = 0.1  # m, the largest position error that a servo keeps, for any terms
_STALL_TIME = 0.05  # s at the stall limit without encoder ticks that count as a stall


@dataclass(frozen=True)
class Gains:
    """PID terms of one axis, in shares of full PWM per m, per m/s and per m s."""

    kp: float
    kv: float
    ki: float

    @classmethod
    def of(cls, tuning: Flash, axis: str) -> Gains:
        """Convert the terms of an axis, "trans" or "rot"."""
        kp, kv, ki = (getattr(tuning, f"{axis}_{term}") for term in ("kp", "kv", "ki"))
        return cls(kp * _KP, kv * _KV, ki * _KI)

    @cached_property
    def reach(self) -> float:
        """Position error in m at which the P term alone requests full power, at most `_MAX_ERROR`."""
        return min(_MAX_ERROR, 1.0 / self.kp) if self.kp else _MAX_ERROR


@dataclass(slots=True)
class _Axis:
    """The PID of translation or of rotation."""

    integral: float = 0.0

    def output(self, gains: Gains, error: float, velocity_error: float, dt: float) -> float:
        if gains.ki:
            limit = 1.0 / gains.ki
            self.integral = max(-limit, min(limit, self.integral + error * dt))
        else:
            self.integral = 0.0
        return gains.kp * error + gains.kv * velocity_error + gains.ki * self.integral


class WheelServo:
    """Makes the wheels' positions follow their set-points."""

    def __init__(self) -> None:
        self.errors = 0.0, 0.0  #: position error of the left and the right wheel, m
        self._translation, self._rotation = _Axis(), _Axis()

    def powers(
        self, translation: Gains, rotation: Gains, velocity_errors: tuple[float, float], limit: float, dt: float
    ) -> tuple[float, float]:
        """Calculate the motor voltages.

        Args:
            translation: Terms for the mean error of the wheels.
            rotation: Terms for half the difference of their errors.
            velocity_errors: Set-point minus velocity of the left and the right wheel, m/s.
            limit: Largest share of the full voltage, 0 to 1.
            dt: Time step in s.

        Returns:
            Voltages of the left and the right motor as shares of the full one, -limit to limit.
        """
        (left_error, right_error), (left, right) = self.errors, velocity_errors
        t = self._translation.output(translation, (left_error + right_error) / 2, (left + right) / 2, dt)
        r = self._rotation.output(rotation, (right_error - left_error) / 2, (right - left) / 2, dt)
        return max(-limit, min(limit, t - r)), max(-limit, min(limit, t + r))

    def add_errors(self, missed: tuple[float, float], reach: float) -> tuple[float, float]:
        """Add what the wheels missed in this cycle to the position errors.

        Args:
            missed: Distances that the left and the right wheel missed, m.
            reach: Largest position error that the servo keeps, m.

        Returns:
            The distances beyond `reach` of the left and the right wheel, m, which the servo will not correct.
        """
        left, right = self.errors[0] + missed[0], self.errors[1] + missed[1]
        self.errors = max(-reach, min(reach, left)), max(-reach, min(reach, right))
        return left - self.errors[0], right - self.errors[1]

    def clear_errors(self, *, left: bool = True, right: bool = True) -> tuple[float, float]:
        """Set the position errors to 0.

        Args:
            left: Whether to clear the left wheel.
            right: Whether to clear the right wheel.

        Returns:
            The cleared errors of the left and the right wheel, m.
        """
        lost = self.errors[0] * left, self.errors[1] * right
        self.errors = self.errors[0] - lost[0], self.errors[1] - lost[1]
        self._translation.integral = self._rotation.integral = 0.0
        return lost


class StallProtection:
    """Detects a stalled wheel: a PWM of StallVal without motion. It cuts the power for a pause, then tries again."""

    def __init__(self) -> None:
        self.stalled = False
        self._still_time = 0.0
        self._off_time = 0.0

    def trip(self, pause: float) -> None:
        """Report a stall and cut the power.

        Args:
            pause: Time without power in s.
        """
        self.stalled, self._still_time, self._off_time = True, 0.0, pause

    @property
    def power_off(self) -> bool:
        """Whether the motor is without power now."""
        return self._off_time > 0.0

    def step(self, tuning: Flash, power: float, *, turned: bool, target: float, dt: float) -> None:
        """Check one control cycle.

        Args:
            tuning: Gives the stall limit and the pause.
            power: Share of the full voltage, -1 to 1.
            turned: Whether the wheel has turned in this cycle.
            target: Velocity set-point of the wheel, m/s.
            dt: Time step in s.
        """
        if self._off_time > 0.0:
            self._off_time = max(0.0, self._off_time - dt)
            return
        if turned or target == 0.0:
            self.stalled = False
        blocked = not turned and abs(round(power * tuning.full_pwm)) >= tuning.stall_val
        self._still_time = self._still_time + dt if blocked else 0.0
        if self._still_time > _STALL_TIME - dt / 2:
            self.trip(tuning.stall_pause)
