"""The robot as an object: session, odometry, settings, battery, what is wanted of it. The clock is injected."""

from ..errors import Refused
from .devices.auxiliary import AuxPort, Reading, Written
from .devices.bumpers import STALLS
from .devices.working_values import TUNABLE, check_working_values
from .events import (
    BatteryChanged,
    BatteryLevel,
    BaudChange,
    BumpersFelt,
    CompassRead,
    Configured,
    Event,
    FloorSensed,
    FrameSeen,
    GripperSeen,
    Identified,
    JoystickMoved,
    LinkChanged,
    MotorCurrents,
    Notice,
    Odometry,
    OdometryStale,
    Ping,
    Received,
    Report,
    Rolled,
    TurnRate,
)
from .link import PacketStats
from .motion.manoeuvre import Manoeuvre
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
    "BumpersFelt",
    "CompassRead",
    "Configured",
    "Event",
    "FloorSensed",
    "FrameSeen",
    "GripperSeen",
    "Identified",
    "JoystickMoved",
    "LinkChanged",
    "LinkState",
    "Manoeuvre",
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
    "Reading",
    "Received",
    "Refused",
    "Report",
    "Robot",
    "Rolled",
    "SonarArray",
    "SonarPoint",
    "TurnRate",
    "Written",
    "check_working_values",
]
