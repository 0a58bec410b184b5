# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One robot, one line, and how the driver is started: what a sequence begins with."""

from __future__ import annotations

from dataclasses import dataclass

from amigobot_driver.ros.parameters import TABLE, Spec
from amigobot_driver.sim.world import World, polygon

#: A room in which every robot soon meets a wall, and can turn on the spot.
ROOM = World("room", tuple(polygon([(-0.8, -0.7), (0.9, -0.6), (0.8, 0.7), (-0.7, 0.8)])))
#: FLASH of a robot that reaches its speeds within the seconds of a step.
BRISK = {"TransAcc": 1500, "TransDecel": 1500, "RotAcc": 300, "RotDecel": 300}

PROFILES = (
    "amigo",
    "amigo-sh",
    "amigo-1.0",
    "p3dx",
    "p3at",
    "erratic",
    "generic",
    "p2dx",
    "p2at",
    "p2at8",
    "p2ce",
    "p2d8",
    "p2de",
    "p3at-sh",
    "p3atiw-sh",
    "p3dx-sh",
    "powerbot-sh",
    "erratic-player",
    "erratic-player-h",
    "erratic-degrees",
)

#: Parameters that the node takes at run time and that reach the driver core.
PARAMETERS: dict[str, Spec] = {
    spec.name: spec
    for spec in TABLE
    if spec.at_run_time
    and spec.name
    not in ("publish_tf", "sonar_no_echo", "analog_volts_per_count", "say_half_cycle", "allow_raw_commands")
    and spec.name != "publish_packets"
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One robot, one line and how the driver is started."""

    profile: str = "amigo"
    asked: bool = False  #: the driver is told the profile instead of finding it
    paced: bool = True  #: bytes take their time on the line
    moving_bit: bool = True  #: False: the packets never say that the robot moves, as MobileSim's
    layout: str = "manual"  #: of an Erratic's motor packet
    motors_on_connect: bool = True
    sonar_on_connect: bool = True
    brisk: bool = True  #: the robot speeds up and slows down several times as fast as it leaves the factory
    encoders: bool = False  #: the driver asks for ENCODERpacs
    walls: bool = False  #: it stands in a room, not on an endless plane
    fast_limits: bool = True  #: the parameters max_linear_velocity and max_angular_velocity are those of the profile
