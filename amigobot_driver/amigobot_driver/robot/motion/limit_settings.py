# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The velocity limits that apply: those of the options, else the robot's own, neither beyond profile and firmware."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...profiles import Profile
from ..devices.tuning import Tuning
from ..options import Options
from .limits import VelocityLimits, working_limits
from .motion import Motion


class LimitSettings:
    """Applies the limits of one robot to its motion, and to its firmware as tuning values."""

    def __init__(
        self,
        limits: VelocityLimits,
        motion: Motion,
        tuning: Tuning,
        options: Callable[[], Options],
        profile: Callable[[], Profile],
    ) -> None:
        self._limits, self._motion, self._tuning = limits, motion, tuning
        self._options, self._profile = options, profile

    def apply(self) -> None:
        """Apply the limits: those of the options, else the robot's own, neither beyond its profile and its firmware."""
        linear, angular = self._option_limits()
        self._limits.highest = self._limits_for(math.inf, math.inf)
        options, held = self.tuning(), self._tuning.requested
        # A lower limit of set_robot_config would otherwise slow down one axis at the robot, and bend the curve.
        if (speed := held.get("trans_vel_max", math.inf)) < options.get("trans_vel_max", 0):
            linear = speed / 1000
        if (rate := held.get("rot_vel_max", math.inf)) < options.get("rot_vel_max", 0):
            angular = math.radians(rate)
        if (linear, angular) != self._limits.working:
            self._limits.working = linear, angular
            self._motion.limits_changed()

    def _option_limits(self) -> tuple[float, float]:
        """Return the limits (m/s, rad/s) of the options, else the robot's own, neither beyond profile and firmware."""
        return self._limits_for(self._options().max_linear, self._options().max_angular)

    def _limits_for(self, linear: float, angular: float) -> tuple[float, float]:
        return working_limits(self._profile().limits, self._tuning.config, (linear, angular))

    def tuning(self) -> dict[str, int]:
        """Return the tuning values that calibration and options request, the velocity limits included."""
        rev_count = self._profile().calibration.rev_count
        values = {**({"rev_count": rev_count} if rev_count else {}), **self._options().tuning}
        linear, angular = self._option_limits()
        if self._options().max_linear:
            values["trans_vel_max"] = max(1, round(linear * 1000))
        if self._options().max_angular:
            values["rot_vel_max"] = max(1, round(math.degrees(angular)))
        return values
