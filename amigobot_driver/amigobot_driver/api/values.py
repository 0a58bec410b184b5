# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The values that the Python API returns: frozen dataclasses in SI units."""

from __future__ import annotations

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
