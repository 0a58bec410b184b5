# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The reports of the driving process to the supervisor: lines of JSON on its standard output."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum

from .tour import Pose

_UNKNOWN = Pose(math.nan, math.nan, math.nan)


class Phase(str, Enum):
    """The state of the driving process."""

    WAITING = "waiting"  #: waits for the robot
    READY = "ready"  #: waits for the start command
    DRIVING = "driving"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The progress of the drive."""

    phase: Phase
    text: str = ""  #: the reason when failed, else the state of the link to the robot
    robot: str = ""  #: its name
    progress: float = 0.0  #: 0 to 1
    distance: float = 0.0  #: m driven along the tour
    pose: Pose = _UNKNOWN  #: in the odometry's frame
    speed: float = math.nan  #: m/s
    nearest: float = math.nan  #: m, of all sonars
    volts: float = math.nan
    packets: int = 0

    def line(self) -> str:
        """Return the report as a line of JSON."""
        return json.dumps(asdict(self))


def reports(lines: Iterable[str]) -> Iterator[Report]:
    """Those among the lines of the driver's log."""
    for line in lines:
        if line.startswith("{"):
            values = json.loads(line)
            yield Report(**{**values, "phase": Phase(values["phase"]), "pose": Pose(*values["pose"])})
