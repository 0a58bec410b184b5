# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python API: a robot as one object with blocking methods, without ROS (docs/python.md)."""

from .amigobot import AmigoBot as AmigoBot
from .event_streams import EventStream as EventStream
from .event_streams import Subscription as Subscription
from .recording import Recording as Recording
from .values import BatteryState as BatteryState
from .values import Identity as Identity
from .values import Pid as Pid
from .values import PidGains as PidGains
from .values import Pose as Pose
from .values import Sound as Sound
