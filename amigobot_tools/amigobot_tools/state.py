# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the tools know of a robot and ask of it, whichever way they are connected."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from amigobot_driver import Report
from amigobot_driver.profiles import Body, Limits, Profile

Item = TypeVar("Item")

#: m/s and rad/s up to which a robot counts as at rest.
_REST = 0.005


@dataclass(frozen=True, slots=True)
class Echo:
    """The newest reading of one sonar."""

    range: float  #: m from the sonar; inf: no echo; NaN: none yet
    age: float  #: s since it fired
    x: float  #: m, of the sonar in the base frame
    y: float  #: m
    heading: float  #: rad

    @property
    def point(self) -> tuple[float, float]:
        """Where the echo comes from, in the base frame (m)."""
        return self.x + self.range * math.cos(self.heading), self.y + self.range * math.sin(self.heading)


@dataclass(frozen=True, slots=True)
class RobotState:
    """A snapshot of the robot in SI units. NaN and None: not known."""

    connected: bool = False
    note: str = ""  #: the state of the connection in words
    name: str = ""
    model: str = ""  #: description of the profile
    body: Body | None = None
    limits: Limits | None = None
    max_range: float = 5.0  #: m, of the sonars
    x: float = math.nan  #: m, in the odometry frame
    y: float = math.nan
    yaw: float = math.nan  #: rad
    linear: float = math.nan  #: m/s
    angular: float = math.nan  #: rad/s
    left_velocity: float = math.nan  #: m/s at the rim of the wheel
    right_velocity: float = math.nan
    commanded_linear: float = math.nan  #: m/s, the velocity requested now
    commanded_angular: float = math.nan  #: rad/s
    echoes: tuple[Echo, ...] = ()
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
        x, y = point
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return self.x + x * c - y * s, self.y + x * s + y * c

    @property
    def at_rest(self) -> bool:
        """Whether no velocity is known that is more than that of a robot at rest."""
        known = [abs(speed) for speed in (self.linear, self.angular) if math.isfinite(speed)]
        return max(known, default=0.0) <= _REST


def drained(lines: deque[Item]) -> list[Item]:
    """Take what waits; another thread may append some meanwhile."""
    taken = []
    while lines:
        taken.append(lines.popleft())
    return taken


class Remote(Protocol):
    """A robot that a tool drives or watches. Methods return at once, and do not raise if the robot is not connected."""

    #: what the tool is connected to, for the title of a screen
    where: str

    def state(self) -> RobotState:
        """Return what is known now."""
        ...

    def drive(self, linear: float, angular: float) -> str:
        """Request a velocity (m/s, rad/s), which expires after 0.5 s. Returns why it is refused, or ""."""
        ...

    def stop(self) -> None:
        """Stop with the normal deceleration."""
        ...

    def emergency_stop(self) -> None:
        """Brake hard, and refuse to drive until the stop is cleared."""
        ...

    def clear_emergency_stop(self) -> None:
        """Accept velocities again."""
        ...

    def messages(self) -> list[str]:
        """Return the log lines since the last call."""
        ...

    def close(self) -> None:
        """Stop the robot if this tool drives it, and end the connection."""
        ...


def reported_state(report: Report, profile: Profile) -> RobotState:
    """Return what one standard packet shows; the caller adds the connection, the sonars and what other packets show."""
    odometry, volts = report.odometry, report.smoothed_volts
    return RobotState(
        connected=True,
        model=profile.description,
        body=profile.body,
        limits=profile.limits,
        max_range=profile.sonar.max_range,
        x=odometry.x,
        y=odometry.y,
        yaw=odometry.yaw,
        linear=odometry.linear,
        angular=odometry.angular,
        left_velocity=odometry.left_velocity,
        right_velocity=odometry.right_velocity,
        volts=volts,
        charge=report.charge,
        charging=report.charging,
        celsius=math.nan if report.celsius is None else report.celsius,
        motors=report.motors_enabled,
        sonar=report.sonar_enabled,
        moving=report.moving,
        stalls=stalled_wheels(report),
        faults=report.faults,
        digital_inputs=report.ports.digital_in,
        digital_outputs=report.ports.digital_out,
    )


def stalled_wheels(report: Report) -> tuple[str, ...]:
    """Return which wheels are stalled: "left", "right"."""
    wheels = (("left", report.left_stalled), ("right", report.right_stalled))
    return tuple(name for name, stalled in wheels if stalled)


def yaw_of(orientation: Any) -> float:
    """Return the heading (rad) of a quaternion that turns about the vertical axis only."""
    return 2 * math.atan2(orientation.z, orientation.w)
