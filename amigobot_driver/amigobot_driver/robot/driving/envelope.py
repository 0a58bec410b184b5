"""How fast a robot may be driven: what is beyond it is a mistake and refused, what is too fast is scaled down."""

from __future__ import annotations

import math


class Refused(Exception):
    """A request that is not carried out; the message says the value, what is allowed and what to do."""


class Envelope:
    """`capable` is what the robot can do at all, `working` what it may do now; both (m/s, rad/s)."""

    def __init__(self, capable: tuple[float, float]) -> None:
        self.capable = capable
        self.working = capable
        self.limited = 0  #: times something was scaled down

    def velocity(self, linear: float, angular: float) -> tuple[float, float]:
        """A velocity within the limits, on the same curve. Raises Refused."""
        scale = min(
            self._scale("linear.x", linear, "m/s", 0),
            self._scale("angular.z", angular, "rad/s", 1),
        )
        self.limited += scale < 1.0
        return linear * scale, angular * scale

    def wheels(self, left: float, right: float) -> tuple[float, float]:
        """Wheel velocities (m/s) within the limits, in the same proportion. Raises Refused."""
        scale = min(self._scale("left", left, "m/s", 0), self._scale("right", right, "m/s", 0))
        self.limited += scale < 1.0
        return left * scale, right * scale

    def _scale(self, name: str, value: float, unit: str, axis: int) -> float:
        capable, working = self.capable[axis], self.working[axis]
        if not math.isfinite(value):
            raise Refused(f"{name} is {value}, a finite number of {unit} is needed")
        # A little more is the caller's rounding.
        if abs(value) > capable * 1.001:
            raise Refused(f"{name} is {value:g} {unit}, this robot does {-capable:.3g} to {capable:.3g}")
        return min(1.0, working / abs(value)) if value else 1.0
