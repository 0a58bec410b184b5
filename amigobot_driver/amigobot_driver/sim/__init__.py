# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated robot: firmware, body and world, driven by bytes and an explicit clock.

A client that was written for the real robot works unchanged. The package imports the protocol and the profiles, never
the driver: the driver's assumptions about a robot are tested against an independent implementation of the manuals.
"""

from .auxiliary import AuxDevice, LoopBack
from .body import Wear
from .build import build_simulator
from .events import SimulatorEvent
from .factory import flash_of
from .faults import Faults, parse_faults
from .option_fields import OptionError, Window
from .reported import REPORT_FORMAT, REPORT_VERSION, load_report, load_reported
from .robots_file import RobotsFile, load_robots
from .session import SessionState
from .shared_world import SharedWorld
from .simulator import Simulator, Truth
from .sonar import SonarModel
from .sounds import playlist
from .world import Segment, World, WorldPose
from .worlds import WorldError, available_worlds, load_world, parse_pose

__all__ = [
    "REPORT_FORMAT",
    "REPORT_VERSION",
    "AuxDevice",
    "Faults",
    "LoopBack",
    "OptionError",
    "RobotsFile",
    "Segment",
    "SessionState",
    "SharedWorld",
    "Simulator",
    "SimulatorEvent",
    "SonarModel",
    "Truth",
    "Wear",
    "Window",
    "World",
    "WorldError",
    "WorldPose",
    "available_worlds",
    "build_simulator",
    "flash_of",
    "load_report",
    "load_reported",
    "load_robots",
    "load_world",
    "parse_faults",
    "parse_pose",
    "playlist",
]
