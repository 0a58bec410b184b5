# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What was asked of the driver, and what was seen of it and of the robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from amigobot_driver.findings import Finding
from amigobot_driver.robot import (
    EncoderReading,
    LinkState,
    MotionGoal,
    Outcome,
    Report,
    TurnRate,
)

from .allowance import Allowance
from .witness import Made, Tick


class Meddling:
    """When a person, or a raw command, last changed something at the robot past the driver's own requests."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}

    def note(self, now: float, *subjects: str) -> None:
        for subject in subjects:
            self._times[subject] = now

    def since(self, time: float, *subjects: str) -> bool:
        """Whether one of these has been changed at that time or later; -inf: ever."""
        return any(subject in self._times and self._times[subject] >= time for subject in (*subjects, "all"))


@dataclass(slots=True, eq=False)
class Request:
    """Something that was asked for and will be answered."""

    kind: str
    text: str
    asked: float
    future: Future[Outcome]
    bound: float  #: s that it may take while the link is up
    judge: Callable[[Outcome], str]  #: what is wrong with an answer, "" when it is true
    ends_with_session: bool = True
    waited: float = 0.0  #: s with the link up
    orphaned: float = 0.0  #: s without a session
    ended: float = math.inf
    outcome: Outcome | None = None
    wrong: str = ""


@dataclass(slots=True, eq=False)
class Movement:
    """A move or a turn."""

    what: str
    wanted: float  #: m or rad
    task: MotionGoal
    travel: float  #: m that the wheels had rolled when it was accepted
    heading: float  #: rad, of the robot then
    asked: float
    allowance: Allowance  #: velocities that it may have
    ended: float = math.inf
    outcome: Outcome | None = None
    end: Tick | None = None
    end_travel: float = 0.0
    known: tuple[float, float] = (0.0, 0.0)  #: m/s and rad/s of the newest packet then
    linked: bool = True  #: the link was up when it ended
    in_order: bool = True  #: nothing but commands of the driver's caller has disturbed it
    motors_coming: bool = False  #: the driver was to switch the motors on when it was accepted
    values_coming: bool = False  #: at some time it had to wait for working values
    at_rest_for: float = 0.0  #: s that the robot has not moved with the link up
    pose: tuple[float, ...] = ()  #: the driver's x, y and yaw when it was last looked at
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Sighting:
    """A report, and the packet at the robot that it is of."""

    time: float
    report: Report
    made: Made | None
    connections: int
    settings: int  #: times that the odometry was set
    clean: bool
    punctual: bool  #: bytes had come without delay


@dataclass(frozen=True, slots=True)
class EncoderSighting:
    """What the driver made of an ENCODERpac, and the packet at the robot."""

    reading: EncoderReading
    made: Made
    connections: int
    jumps: int  #: times that the driver saw the ticks jump


@dataclass(slots=True)
class Seen:
    """What has happened since the last observation."""

    ticks: list[Tick] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    notices: list[tuple[float, str]] = field(default_factory=list)
    links: list[tuple[float, LinkState]] = field(default_factory=list)
    ended: list[Request] = field(default_factory=list)
    encoders: list[EncoderSighting] = field(default_factory=list)
    turn_rates: list[TurnRate] = field(default_factory=list)  #: while the line was in order
    diagnostics: Mapping[str, Finding] = field(default_factory=dict)  #: once a second
