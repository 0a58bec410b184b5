# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state that a driver needs to continue the odometry of another one: a pose and the counters that belong to it."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocol import Sip
from ..events import Odometry

#: s between two copies of the state that a driver stores.
STATE_PERIOD = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OdometryState:
    """The pose of one robot at its last SIP. Counters and velocities are the SIP's, in the robot's units."""

    name: str  #: name of the robot, then its class and subclass
    robot_class: str
    subclass: str
    profile: str  #: name of the profile that the counters were converted by
    stamp: float  #: s since the computer's boot, when the SIP was sent
    x: float  #: m, in the odometry frame
    y: float  #: m
    yaw: float  #: rad
    left_angle: float  #: rad that the left wheel has turned
    right_angle: float  #: rad
    covariance: tuple[float, ...]  #: of the pose: xx, xy, xyaw, yy, yyaw, yawyaw in m and rad
    counter_x: int  #: 0 to 65535
    counter_y: int  #: 0 to 65535
    counter_heading: int  #: -32768 to 32767
    left_velocity: int  #: -32768 to 32767
    right_velocity: int  #: -32768 to 32767

    @property
    def at_rest(self) -> bool:
        """Whether the wheels were at rest."""
        return not (self.left_velocity or self.right_velocity)

    @property
    def odometry(self) -> Odometry:
        """The pose, without a velocity."""
        return Odometry(
            self.x,
            self.y,
            self.yaw,
            left_angle=self.left_angle,
            right_angle=self.right_angle,
            covariance=self.covariance,
        )

    @property
    def sip(self) -> Sip:
        """A SIP with these counters and velocities; all other fields are 0."""
        return Sip(
            x=self.counter_x,
            y=self.counter_y,
            heading=self.counter_heading,
            left_velocity=self.left_velocity,
            right_velocity=self.right_velocity,
            battery=0,
            left_stall_bumpers=0,
            right_stall_bumpers=0,
            control=0,
            flags=0,
            compass=0,
            sonar=(),
        )
