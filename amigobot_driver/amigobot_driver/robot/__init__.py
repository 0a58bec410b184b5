# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot as an object: session, motion, odometry, devices, settings. Time is an argument of every call."""

from ..errors import Refused
from .command_queue import MAX_ROUTINE
from .devices.auxiliary import AuxPort, ReadOutcome, WriteOutcome
from .devices.bumpers import STALLS
from .devices.digital_io import SIP_VOLTS
from .devices.sounds import is_group
from .devices.tones import tone_pairs
from .devices.working_values import TUNABLE, check_working_values
from .events import (
    BatteryChanged,
    BatteryLevel,
    BaudChange,
    BumperReading,
    CompassReading,
    Configured,
    EmergencyStopChanged,
    EncoderReading,
    Event,
    FloorReading,
    FrameSeen,
    GripperReading,
    Identified,
    JoystickReading,
    LinkChanged,
    MotorCurrents,
    Notice,
    Odometry,
    OdometryStale,
    Ping,
    Received,
    Report,
    TurnRate,
)
from .link import PacketStats
from .motion.goal import MotionGoal
from .motion.motion import MotionStats
from .options import Options
from .outcome import Outcome
from .robot import Robot
from .sensing.battery import BatteryMonitor
from .sensing.odometry_state import OdometryState
from .sensing.sonar_array import SonarArray, SonarPoint
from .session import LinkState
from .snapshot import RobotSnapshot, take_snapshot, take_sound_snapshot

__all__ = [
    "MAX_ROUTINE",
    "SIP_VOLTS",
    "STALLS",
    "TUNABLE",
    "AuxPort",
    "BatteryChanged",
    "BatteryLevel",
    "BatteryMonitor",
    "BaudChange",
    "BumperReading",
    "CompassReading",
    "Configured",
    "EmergencyStopChanged",
    "EncoderReading",
    "Event",
    "FloorReading",
    "FrameSeen",
    "GripperReading",
    "Identified",
    "JoystickReading",
    "LinkChanged",
    "LinkState",
    "MotionGoal",
    "MotionStats",
    "MotorCurrents",
    "Notice",
    "Odometry",
    "OdometryStale",
    "OdometryState",
    "Options",
    "Outcome",
    "PacketStats",
    "Ping",
    "ReadOutcome",
    "Received",
    "Refused",
    "Report",
    "Robot",
    "RobotSnapshot",
    "SonarArray",
    "SonarPoint",
    "TurnRate",
    "WriteOutcome",
    "check_working_values",
    "is_group",
    "take_snapshot",
    "take_sound_snapshot",
    "tone_pairs",
]
