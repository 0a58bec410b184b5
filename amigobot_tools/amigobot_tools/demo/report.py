"""What the driver tells the stage: a line of JSON at a time, on its standard output."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum

from .tour import Pose

_NOWHERE = Pose(math.nan, math.nan, math.nan)


class Phase(str, Enum):
    """How far the driver is."""

    WAITING = "waiting"  #: for the robot
    READY = "ready"  #: for the word to go
    DRIVING = "driving"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Where things stand."""

    phase: Phase
    text: str = ""  #: the reason when failed, else how the link to the robot stands
    robot: str = ""  #: what it calls itself
    progress: float = 0.0  #: 0 to 1
    way: float = 0.0  #: m of the tour that lie behind
    pose: Pose = _NOWHERE  #: in the odometry's frame
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
