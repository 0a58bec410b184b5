"""How fast a robot may be driven: what is too fast is scaled down on the same curve, what is no number is refused."""

from __future__ import annotations

import math


class Refused(Exception):
    """A request that is not carried out; the message says the value, what is allowed and what to do."""


class VelocityLimits:
    """The velocity limits: `working` is what the robot may do now, (m/s, rad/s)."""

    def __init__(self, working: tuple[float, float]) -> None:
        self.working = working
        self.limited = 0  #: times a velocity was scaled down

    def velocity(self, linear: float, angular: float) -> tuple[float, float]:
        """Scale a velocity down to the limits, on the same curve.

        Args:
            linear: Any finite number of m/s.
            angular: Any finite number of rad/s.

        Raises:
            Refused: One of them is NaN or infinite.
        """
        _check_finite("linear.x", linear, "m/s")
        _check_finite("angular.z", angular, "rad/s")
        scale = min(_scale(linear, self.working[0]), _scale(angular, self.working[1]))
        self.limited += scale < 1.0
        return linear * scale, angular * scale

    def wheels(self, left: float, right: float, track: float) -> tuple[float, float]:
        """Scale wheel velocities down to the limits, in the same proportion.

        Args:
            left: Any finite number of m/s.
            right: Any finite number of m/s.
            track: Distance between the wheels, m: their difference turns the robot.

        Raises:
            Refused: One of them is NaN or infinite.
        """
        _check_finite("left", left, "m/s")
        _check_finite("right", right, "m/s")
        linear, angular = self.working
        scale = min(_scale(left, linear), _scale(right, linear))
        turning = _scale((right * scale - left * scale) / track, angular)
        self.limited += min(scale, turning) < 1.0
        return left * scale * turning, right * scale * turning


def _check_finite(name: str, value: float, unit: str) -> None:
    if not math.isfinite(value):
        raise Refused(f"{name} is {value}, a finite number of {unit} is needed")


def _scale(value: float, limit: float) -> float:
    """The factor, up to 1, that brings a value to the limit."""
    return min(1.0, limit / abs(value)) if value else 1.0
