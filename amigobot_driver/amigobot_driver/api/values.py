# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The values that the Python API returns: frozen dataclasses in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..robot import BatteryLevel


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the robot is in the odometry frame. `x, y, yaw = robot.pose` works as well."""

    x: float  #: m, forward at the start
    y: float  #: m, to the left at the start
    yaw: float  #: rad, -pi to pi, counter-clockwise positive

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y, self.yaw))


@dataclass(frozen=True, slots=True)
class SonarReading:
    """The newest reading of one sonar, and where that sonar is on the robot."""

    number: int  #: from 0
    range: float  #: m from the sonar; inf: no echo; NaN: the sonar has not fired yet
    age: float  #: s since it fired; inf: it has not fired yet
    x: float  #: m, of the sonar, forward from the middle of the axle
    y: float  #: m, to the left
    heading: float  #: rad, the direction of the sonar; 0 is forward, positive to the left

    @property
    def point(self) -> tuple[float, float]:
        """Where the echo comes from, in m from the middle of the axle: forward, and to the left."""
        return self.x + self.range * math.cos(self.heading), self.y + self.range * math.sin(self.heading)


@dataclass(frozen=True, slots=True)
class BatteryState:
    """The battery."""

    volts: float  #: V, smoothed over some seconds
    charge: float  #: 0 to 1; estimated from the voltage unless the robot reports it
    level: BatteryLevel  #: GOOD, LOW or CRITICAL
    charging: bool | None  #: None: unknown, as the robot has never reported that it charges


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity that the robot reports."""

    name: str  #: name of this robot in its FLASH
    robot_class: str  #: "Pioneer" for all ActivMedia robots
    subclass: str  #: the model, for example "amigo"
    serial_number: str  #: "" while the robot has not reported its configuration
    firmware_version: str  #: "" if the firmware does not report it


@dataclass(frozen=True, slots=True)
class Sound:
    """One entry of the list of sounds in the robot."""

    number: int  #: 1 to 255
    name: str  #: as in the robot
    is_group: bool  #: a heading over the sounds that follow, without a sound itself
    length: int  #: bytes


@dataclass(frozen=True, slots=True)
class Pid:
    """The gains of one servo, in the units of the firmware."""

    kp: int  #: proportional
    kv: int  #: derivative
    ki: int  #: integral


@dataclass(frozen=True, slots=True)
class PidGains:
    """The gains of both servos."""

    rotation: Pid  #: servo of the heading
    translation: Pid  #: servo of the distance
