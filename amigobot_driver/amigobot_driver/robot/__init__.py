"""The robot as an object: session, odometry, settings, battery, what is wanted of it. The clock is injected."""

from .auxiliary import AuxPort, Reading, Written
from .battery import BatteryLevel, BatteryMonitor
from .bumpers import STALLS
from .envelope import Refused
from .events import (
    BatteryChanged,
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
    Ping,
    Received,
    Report,
    Rolled,
    TurnRate,
)
from .link import PacketStats
from .manoeuvre import Manoeuvre
from .motion import MotionStats
from .odometry import Odometry
from .options import Options
from .outcome import Outcome
from .ring import Ring, Sighting
from .robot import Robot
from .session import LinkState
from .tuning import TUNABLE

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
    "Options",
    "Outcome",
    "PacketStats",
    "Ping",
    "Reading",
    "Received",
    "Refused",
    "Report",
    "Ring",
    "Robot",
    "Rolled",
    "Sighting",
    "TurnRate",
    "Written",
]
