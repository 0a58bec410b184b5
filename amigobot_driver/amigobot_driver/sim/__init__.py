# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated robot: firmware, body and world, driven by bytes and an explicit clock.

A client that was written for the real robot works unchanged. The package imports the protocol and the profiles, never
the driver: the driver's assumptions about a robot are tested against an independent implementation of the manuals.

`X as X` marks a name that other layers may import from here.
"""

from .auxiliary import LoopBack as LoopBack
from .body import Wear as Wear
from .events import SessionState as SessionState
from .events import SimulatorEvent as SimulatorEvent
from .faults import Faults as Faults
from .faults import parse_faults as parse_faults
from .fields import OptionError as OptionError
from .fields import Window as Window
from .fleet import RobotsFile as RobotsFile
from .fleet import load_robots as load_robots
from .reported import REPORT_FORMAT as REPORT_FORMAT
from .reported import REPORT_VERSION as REPORT_VERSION
from .reported import load_report as load_report
from .reported import load_reported as load_reported
from .reported import read_report as read_report
from .simulator import Simulator as Simulator
from .simulator import Truth as Truth
from .simulator import flash_of as flash_of
from .simulator_options import build_simulator as build_simulator
from .sonar import SonarModel as SonarModel
from .world import Segment as Segment
from .world import World as World
from .world import WorldPose as WorldPose
from .worlds import WorldError as WorldError
from .worlds import available_worlds as available_worlds
from .worlds import load_world as load_world
from .worlds import parse_pose as parse_pose
