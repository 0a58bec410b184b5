# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""ROS 2 driver for the ActivMedia AmigoBot and its relatives, and a Python API that needs no ROS (docs/python.md).

    from amigobot_driver import AmigoBot

    with AmigoBot("/dev/ttyUSB0") as robot:
        robot.drive(0.2, duration=2.0)

The names below are loaded when they are used first: the node and the tools import this package, too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import *
    from .errors import *
    from .profiles import *
    from .robot import *

__all__ = [
    "TUNABLE",
    "AmigoBot",
    "AmigoBotError",
    "AuxReadFailedError",
    "BatteryChanged",
    "BatteryLevel",
    "BatteryState",
    "BumperReading",
    "CompassReading",
    "ConnectionFailedError",
    "ConnectionLostError",
    "EncoderReading",
    "Event",
    "EventStream",
    "FloorReading",
    "GripperReading",
    "Identity",
    "IoState",
    "JoystickReading",
    "LinkChanged",
    "LinkSnapshot",
    "LinkState",
    "MotionFailedError",
    "MotionFeedback",
    "MotorCurrents",
    "Notice",
    "Odometry",
    "Options",
    "Pid",
    "PidGains",
    "Ping",
    "PortError",
    "Pose",
    "Profile",
    "ProfileError",
    "Recording",
    "RecordingError",
    "Report",
    "RequestFailedError",
    "RequestRefusedError",
    "RobotSnapshot",
    "SonarReading",
    "Sound",
    "Subscription",
    "TurnRate",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in ("errors", "api", "robot", "profiles"):
            if hasattr(part := importlib.import_module(f"{__name__}.{module}"), name):
                globals()[name] = value = getattr(part, name)
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
