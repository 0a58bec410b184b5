# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Velocity limits: larger velocities are scaled down on the same curve; values that are not finite are refused."""

from __future__ import annotations

import math

from ...errors import RequestRefusedError
from ...profiles import Limits
from ...protocol import Parameters
from ...wording import wrong_type

#: Largest velocities that VEL (mm/s) and RVEL (deg/s) carry in their 16 bits: m/s and rad/s, rounded down.
_LARGEST_LINEAR, _LARGEST_ANGULAR = 32.0, math.radians(32000)


class VelocityLimits:
    """The velocity limits in use.

    Attributes:
        working: Largest velocities, (m/s, rad/s).
        highest: The highest that the profile and the firmware of the robot allow, (m/s, rad/s).
        limited: Number of velocities that were scaled down.
    """

    def __init__(self, working: tuple[float, float]) -> None:
        self.working = self.highest = working
        self.limited = 0

    @property
    def remedy(self) -> str:
        """What can be done if a velocity was scaled down."""
        axes = zip(("linear", "angular"), self.working, self.highest, strict=True)
        raisable = [name for name, limit, highest in axes if limit < highest - 1e-9]
        if not raisable:
            return "the profile and the firmware of the robot allow no more"
        alone = "" if len(raisable) == 2 else "; the profile and the firmware allow no more of the other"
        return f"raise the limit of the {' or '.join(raisable)} velocity if the robot may be faster{alone}"

    def velocity(self, linear: float, angular: float) -> tuple[float, float]:
        """Scale a velocity down to the limits, on the same curve.

        Args:
            linear: Any finite number of m/s.
            angular: Any finite number of rad/s.

        Raises:
            RequestRefusedError: One of them is NaN or infinite.
        """
        if not (math.isfinite(linear) and math.isfinite(angular)):
            check_finite("linear.x", linear, "m/s")
            check_finite("angular.z", angular, "rad/s")
        max_linear, max_angular = self.working
        scale = 1.0
        if abs(linear) > max_linear:
            scale = max_linear / abs(linear)
        if abs(angular) * scale > max_angular:
            scale = max_angular / abs(angular)
        self.limited += scale < 1.0
        return linear * scale, angular * scale

    def wheels(self, left: float, right: float, track: float) -> tuple[float, float]:
        """Scale wheel velocities down to the limits, in the same proportion.

        Args:
            left: Any finite number of m/s.
            right: Any finite number of m/s.
            track: Distance between the wheels, m: their difference turns the robot.

        Raises:
            RequestRefusedError: One of them is NaN or infinite.
        """
        check_finite("left", left, "m/s")
        check_finite("right", right, "m/s")
        linear, angular = self.working
        scale = min(_scale(left, linear), _scale(right, linear))
        turning = _scale((right * scale - left * scale) / track, angular)
        self.limited += min(scale, turning) < 1.0
        return left * scale * turning, right * scale * turning


def working_limits(profile: Limits, config: Parameters | None, requested: tuple[float, float]) -> tuple[float, float]:
    """Return the limits to apply (m/s, rad/s): the requested ones, else the robot's own; none beyond the maximum.

    Args:
        profile: Maximum of the robot by its profile.
        config: Maximum and limits that the firmware reports; None before it has.
        requested: Limits of the options (m/s, rad/s); 0 leaves the robot's own.
    """
    linear, angular = own_linear, own_angular = profile.linear, profile.angular
    if config:
        linear = min(linear, (config.value("trans_vel_top") or 0) / 1000 or linear)
        angular = min(angular, math.radians(config.value("rot_vel_top") or 0) or angular)
        own_linear = config.trans_vel_max / 1000 or linear
        own_angular = math.radians(config.rot_vel_max) or angular
    return (
        min(linear, requested[0] or own_linear, _LARGEST_LINEAR),
        min(angular, requested[1] or own_angular, _LARGEST_ANGULAR),
    )


def check_finite(name: str, value: float, unit: str) -> None:
    """Check a value of a request.

    Raises:
        RequestRefusedError: It is NaN or infinite.
    """
    if not math.isfinite(value):
        raise RequestRefusedError(wrong_type(name, value, f"a finite number of {unit}"))


def _scale(value: float, limit: float) -> float:
    """Return the factor, up to 1, that reduces a value to the limit."""
    return min(1.0, limit / abs(value)) if value else 1.0
