# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot as an object: session, motion, odometry, devices, settings. Time is an argument of every call.

A module is in `devices/` if it sends commands to one device or setting of the robot, in `sensing/` if it turns packets
into values in SI units, in `monitors/` if it counts or judges what packets show. The last two send nothing.

`X as X` marks a name that other layers may import from here.
"""

from ..errors import RequestRefusedError as RequestRefusedError
from .devices.sounds import is_group as is_group
from .devices.tuning import TUNABLE as TUNABLE
from .devices.tuning import check_tuning as check_tuning
from .events import BatteryChanged as BatteryChanged
from .events import BatteryLevel as BatteryLevel
from .events import BaudChange as BaudChange
from .events import BumperReading as BumperReading
from .events import CompassReading as CompassReading
from .events import Configured as Configured
from .events import EmergencyStopChanged as EmergencyStopChanged
from .events import EncoderReading as EncoderReading
from .events import Event as Event
from .events import FloorReading as FloorReading
from .events import FrameSeen as FrameSeen
from .events import GripperReading as GripperReading
from .events import Identified as Identified
from .events import IoState as IoState
from .events import JoystickReading as JoystickReading
from .events import LinkChanged as LinkChanged
from .events import ModemCall as ModemCall
from .events import MotorCurrents as MotorCurrents
from .events import Notice as Notice
from .events import Odometry as Odometry
from .events import OdometryStale as OdometryStale
from .events import Ping as Ping
from .events import Received as Received
from .events import Report as Report
from .events import SonarReading as SonarReading
from .events import TurnRate as TurnRate
from .motion.goal import MotionFeedback as MotionFeedback
from .motion.goal import MotionGoal as MotionGoal
from .options import Options as Options
from .outcome import Outcome as Outcome
from .remedies import GENERAL_REMEDIES as GENERAL_REMEDIES
from .remedies import Remedies as Remedies
from .robot import Robot as Robot
from .sensing.sonar_array import SonarArray as SonarArray
from .sensing.sonar_array import SonarPoint as SonarPoint
from .session import LinkState as LinkState
from .snapshot import LinkSnapshot as LinkSnapshot
from .snapshot import RobotSnapshot as RobotSnapshot
from .snapshot import take_snapshot as take_snapshot
