# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python API: a robot as one object with blocking methods, without ROS (docs/python.md)."""

from .amigobot import AmigoBot
from .recording import Recording
from .streams import EventStream, Subscription
from .values import BatteryState, Identity, Pid, PidGains, Pose, SonarReading, Sound

__all__ = [
    "AmigoBot",
    "BatteryState",
    "EventStream",
    "Identity",
    "Pid",
    "PidGains",
    "Pose",
    "Recording",
    "SonarReading",
    "Sound",
    "Subscription",
]
