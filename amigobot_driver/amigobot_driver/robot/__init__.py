"""The robot as an object: session, motion, odometry, devices, settings. Time is an argument of every call."""

from ..errors import Refused
from .devices.auxiliary import AuxPort, ReadOutcome, WriteOutcome
from .devices.bumpers import STALLS
from .devices.working_values import TUNABLE, check_working_values
from .events import (
    BatteryChanged,
    BatteryLevel,
    BaudChange,
    BumperReading,
    CompassReading,
    Configured,
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

__all__ = [
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
    "SonarArray",
    "SonarPoint",
    "TurnRate",
    "WriteOutcome",
    "check_working_values",
]
