# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Set-points within the velocity limits: larger velocities are scaled down, values that are not finite are refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ...errors import RequestRefusedError
from ...wording import wrong_type
from ..component import Context
from ..options import Options
from .setpoint import HeadingSetpoint, VelocitySetpoint, WheelSetpoint, whole_degrees

#: Largest velocities that VEL (mm/s) and RVEL (deg/s) carry in their 16 bits: m/s and rad/s, rounded down.
_LARGEST_LINEAR, _LARGEST_ANGULAR = 32.0, math.radians(32000)


class VelocityLimits:
    """The limits of the options, else the robot's own; neither beyond its profile and its firmware.

    Attributes:
        limited: Number of velocities that were scaled down.
    """

    def __init__(
        self, context: Context, options: Callable[[], Options], requested: Callable[[], Mapping[str, int]]
    ) -> None:
        """Make limits.

        Args:
            context: The robot's.
            options: Returns the options in use.
            requested: Returns the tuning values that are requested of the robot.
        """
        self.limited = 0
        self._context, self._options, self._requested = context, options, requested

    @property
    def highest(self) -> tuple[float, float]:
        """The highest limits that the profile and the firmware of the robot allow, (m/s, rad/s)."""
        return self._limits_for(math.inf, math.inf)

    @property
    def effective(self) -> tuple[float, float]:
        """Largest velocities, (m/s, rad/s)."""
        linear, angular = self._limits_for(self._options().max_linear, self._options().max_angular)
        options, requested = self.tuning(), self._requested()
        # A lower limit that a user has set as a tuning value would slow down one axis at the robot, and bend the curve.
        if (speed := requested.get("trans_vel_max", math.inf)) < options.get("trans_vel_max", 0):
            linear = speed / 1000
        if (rate := requested.get("rot_vel_max", math.inf)) < options.get("rot_vel_max", 0):
            angular = math.radians(rate)
        return linear, angular

    def tuning(self) -> dict[str, int]:
        """Return the tuning values that calibration and options request, the velocity limits included."""
        rev_count, options = self._context.profile().calibration.rev_count, self._options()
        values = {**({"rev_count": rev_count} if rev_count else {}), **options.tuning}
        linear, angular = self._limits_for(options.max_linear, options.max_angular)
        if options.max_linear:
            values["trans_vel_max"] = max(1, round(linear * 1000))
        if options.max_angular:
            values["rot_vel_max"] = max(1, round(math.degrees(angular)))
        return values

    def _limits_for(self, requested_linear: float, requested_angular: float) -> tuple[float, float]:
        """Return the limits (m/s, rad/s) for requested ones; 0 leaves the robot's own."""
        limits, config = self._context.profile().limits, self._context.config()
        linear, angular = own_linear, own_angular = limits.linear, limits.angular
        if config:
            linear = min(linear, (config.value("trans_vel_top") or 0) / 1000 or linear)
            angular = min(angular, math.radians(config.value("rot_vel_top") or 0) or angular)
            own_linear = config.trans_vel_max / 1000 or linear
            own_angular = math.radians(config.rot_vel_max) or angular
        return (
            min(linear, requested_linear or own_linear, _LARGEST_LINEAR),
            min(angular, requested_angular or own_angular, _LARGEST_ANGULAR),
        )

    def velocity(self, linear: float, angular: float) -> VelocitySetpoint:
        """Return the set-point of a velocity, scaled down to the limits on the same curve.

        Args:
            linear: Any finite number of m/s.
            angular: Any finite number of rad/s.

        Raises:
            RequestRefusedError: One of them is NaN or infinite.
        """
        return VelocitySetpoint(*self._scaled(linear, angular))

    def heading(self, linear: float, heading: float) -> HeadingSetpoint:
        """Return the set-point of a velocity on a heading, scaled down to the limits.

        Args:
            linear: Any finite number of m/s.
            heading: Any finite number of rad, in the robot's own frame.

        Raises:
            RequestRefusedError: One of them is NaN or infinite.
        """
        check_finite("the heading", heading, "rad")
        return HeadingSetpoint(self._scaled(linear, 0.0)[0], whole_degrees(heading))

    def wheels(self, left: float, right: float) -> WheelSetpoint:
        """Return the set-point of wheel velocities, scaled down to the limits in the same proportion.

        Args:
            left: Any finite number of m/s.
            right: Any finite number of m/s.

        Raises:
            RequestRefusedError: One of them is NaN or infinite.
        """
        check_finite("the velocity of the left wheel", left, "m/s")
        check_finite("the velocity of the right wheel", right, "m/s")
        profile, (linear, angular) = self._context.profile(), self.effective
        track = profile.body.track
        scale = min(_scale(left, linear), _scale(right, linear))
        # The difference of the wheels turns the robot.
        turning = _scale((right * scale - left * scale) / track, angular)
        self.limited += min(scale, turning) < 1.0
        left, right = left * scale * turning, right * scale * turning
        return WheelSetpoint.nearest(left, right, linear, angular * track, profile.units.wheel_velocity)

    def _scaled(self, linear: float, angular: float) -> tuple[int, int]:
        """Check a velocity (m/s, rad/s), and return it within the limits, in mm/s and deg/s."""
        check_finite("the linear velocity", linear, "m/s")
        check_finite("the angular velocity", angular, "rad/s")
        scale = min(map(_scale, (linear, angular), self.effective))
        self.limited += scale < 1.0
        return round(linear * scale * 1000), round(math.degrees(angular * scale))


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
