# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Warns of a robot that takes long to stop: its deceleration is low for the velocity limit in use."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...protocol import Parameters, Sip
from ..component import Component, Context
from ..devices.tuning import STOP_TIME, TUNABLE
from ..events import Notice
from ..motion.limits import VelocityLimits


class BrakingMonitor(Component):
    """Compares the deceleration that the robot reports with the velocity limits."""

    def __init__(self, context: Context, limits: VelocityLimits, config: Callable[[], Parameters | None]) -> None:
        """Make a monitor.

        Args:
            context: The robot's.
            limits: The velocity limits in use.
            config: Returns the CONFIG packet; None while it is unknown or requested values are being set.
        """
        super().__init__(context)
        self._limits, self._config = limits, config
        self._last: tuple[object, ...] = ()
        context.on_packet(Sip, self._on_sip)

    def on_session_start(self, now: float) -> None:
        """Warn again: it may be another robot."""
        self._last = ()

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        config = self._config()
        if config is None or (self._limits.working, config) == self._last:
            return
        self._last = self._limits.working, config
        for problem in slow_stops(config, self._limits.working):
            self._context.emit(Notice(problem))


def stopping(speed: float, deceleration: float, delay: float = 0.0) -> tuple[float, float]:
    """Return the time (s) and the distance (m) from the cause of a stop to rest.

    Args:
        speed: m/s; in mm/s or degrees, the distance is, too.
        deceleration: Of the same unit, above 0.
        delay: Time in s from the cause to the begin of the braking.
    """
    braking = speed / deceleration
    return delay + braking, speed * (delay + braking / 2)


def slow_stops(config: Parameters, limits: tuple[float, float]) -> list[str]:
    """Return a sentence for each axis on which a stop from the velocity limit takes longer than `STOP_TIME`.

    Args:
        config: What the robot reports.
        limits: Velocity limits (m/s, rad/s).
    """
    linear, angular = limits
    found = (
        _slow_stop("linear", linear * 1000, config.trans_decel, "trans_decel", ("mm/s", "m/s"), 1e-3),
        _slow_stop(
            "angular", math.degrees(angular), config.rot_decel, "rot_decel", ("deg/s", "rad/s"), math.radians(1)
        ),
    )
    return [text for text in found if text]


def _slow_stop(axis: str, limit: float, deceleration: int, name: str, units: tuple[str, str], si: float) -> str:
    """Return what is wrong and what to do; "" if nothing is. `si` converts the first unit to the second."""
    unit, si_unit = units
    allowed = STOP_TIME * deceleration
    if limit <= allowed * (1 + 1e-6):
        return ""
    takes = f"takes {stopping(limit, deceleration)[0]:.0f} s" if deceleration > 0 else "may never end"
    needed = _hundredths(math.ceil, max(TUNABLE[name].low, limit / STOP_TIME) * si)
    lower = _hundredths(math.floor, allowed * si)
    otherwise = f", or the limit of the {axis} velocity to at most {lower:g} {si_unit}" if lower > 0.0 else ""
    return (
        f"a stop from {limit:.0f} {unit} {takes}: the robot's {name} is {deceleration} {unit}^2; "
        f"set the {axis} deceleration to at least {needed:g} {si_unit}^2{otherwise}"
    )


def _hundredths(whole: Callable[[float], int], value: float) -> float:
    """Return a value in whole hundredths; what is above one by an error of floating point is one."""
    return whole(round(value * 100, 6)) / 100
