# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the tools know of a robot and ask of it, whichever way they are connected."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from amigobot_driver import Options, Report, SonarReading
from amigobot_driver.profiles import Profile

from .geometry import Pose

_REST = 0.005  # m/s and rad/s, rest threshold
_MESSAGES = 200  # log lines that are kept
_SHOWN = Options().command_timeout  # s that a velocity is shown after it was requested
#: Fields of a report, or of its parts, that a state has under the same names.
_SAME_NAMES = (
    *("odometry.x", "odometry.y", "odometry.yaw", "odometry.linear", "odometry.angular", "odometry.left_velocity"),
    *("odometry.right_velocity", "charge", "charging", "moving", "faults"),
    *("ports.digital_inputs", "ports.digital_outputs"),
)


@dataclass(frozen=True, slots=True)
class RobotState:
    """A snapshot of the robot in SI units. NaN and None: not known."""

    connected: bool = False
    note: str = ""  #: the state of the connection in words
    name: str = ""
    model: str = ""  #: description of the profile; "" before the robot is identified
    profile: Profile | None = None
    x: float = math.nan  #: m, in the odometry frame
    y: float = math.nan
    yaw: float = math.nan  #: rad
    linear: float = math.nan  #: m/s
    angular: float = math.nan  #: rad/s
    left_velocity: float = math.nan  #: m/s at the rim of the wheel
    right_velocity: float = math.nan
    commanded_linear: float = math.nan  #: m/s, the velocity requested now
    commanded_angular: float = math.nan  #: rad/s
    echoes: tuple[SonarReading, ...] = ()  #: the newest of each sonar
    volts: float = math.nan
    charge: float = math.nan  #: 0 to 1
    charging: bool | None = None
    celsius: float = math.nan  #: temperature of the controller
    motors: bool | None = None
    sonar: bool | None = None
    moving: bool | None = None
    emergency: bool = False
    stalls: tuple[str, ...] = ()  #: the wheels that are stalled: left, right
    faults: tuple[str, ...] = ()  #: further faults that the robot reports
    front_bumpers: tuple[bool, ...] = ()  #: pressed segments, from the left
    rear_bumpers: tuple[bool, ...] = ()  #: pressed segments, from the right
    digital_inputs: int | None = None
    digital_outputs: int | None = None
    analog: tuple[float, ...] = ()  #: V
    link: dict[str, str] = field(default_factory=dict)  #: figures of the link, by name

    def in_odometry_frame(self, point: tuple[float, float]) -> tuple[float, float]:
        """Return a point of the base frame (m) in the odometry frame."""
        return Pose(*point, 0.0).transformed_by(Pose(self.x, self.y, self.yaw))[:2]

    @property
    def at_rest(self) -> bool:
        """Whether all known velocities are below the rest threshold."""
        known = [abs(speed) for speed in (self.linear, self.angular) if math.isfinite(speed)]
        return max(known, default=0.0) <= _REST


class Remote:
    """A robot that a tool drives or watches; here one that cannot be driven.

    Methods return at once, and do not raise if the robot is not connected.

    Args:
        where: What the tool is connected to, for the title of a screen.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._messages: deque[str] = deque(maxlen=_MESSAGES)  #: another thread may append some
        self._commanded = 0.0, 0.0, -math.inf  #: m/s, rad/s, and when that was requested (s)

    @property
    def commanded(self) -> tuple[float, float]:
        """The velocity that is requested now, m/s and rad/s."""
        linear, angular, since = self._commanded
        return (linear, angular) if time.monotonic() - since < _SHOWN else (0.0, 0.0)

    def state(self) -> RobotState:
        """Return what is known now."""
        raise NotImplementedError

    def drive(self, linear: float, angular: float) -> str:
        """Request a velocity (m/s, rad/s), which expires after 0.5 s. Returns why it is refused, or ""."""
        return f"{self.where} cannot be driven"

    def stop(self) -> None:
        """Stop with the normal deceleration."""

    def emergency_stop(self) -> None:
        """Brake hard, and refuse to drive until the stop is cleared."""

    def clear_emergency_stop(self) -> None:
        """Accept velocities again."""

    def messages(self) -> list[str]:
        """Return the log lines since the last call."""
        return [self._messages.popleft() for _ in range(len(self._messages))]

    def close(self) -> None:
        """Stop the robot if this tool drives it, and end the connection."""


def reported_state(report: Report, profile: Profile) -> RobotState:
    """Return what one SIP shows; the caller adds the connection, the sonars and what other packets show."""
    return RobotState(
        connected=True,
        model=profile.description,
        profile=profile,
        volts=report.smoothed_volts,
        celsius=math.nan if report.celsius is None else report.celsius,
        motors=report.motors_enabled,
        sonar=report.sonar_enabled,
        stalls=stalled_wheels(report),
        **{path.rpartition(".")[2]: attrgetter(path)(report) for path in _SAME_NAMES},
    )


def stalled_wheels(report: Report) -> tuple[str, ...]:
    """Return which wheels are stalled: "left", "right"."""
    wheels = (("left", report.left_stalled), ("right", report.right_stalled))
    return tuple(name for name, stalled in wheels if stalled)


def milliseconds(seconds: float) -> str:
    """Return a time as all tools show it."""
    return "-" if math.isnan(seconds) else f"{1000 * seconds:.0f} ms"


def yaw_of(orientation: Any) -> float:
    """Return the heading (rad) of a quaternion that turns about the vertical axis only."""
    return 2 * math.atan2(orientation.z, orientation.w)
