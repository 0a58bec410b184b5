# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The session of a robot that this program drives already, for the checks that need no more than a session.

A second connection to the port would not work: a port serves one program at a time, and a robot one session.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator

from ..api import AmigoBot
from ..errors import RequestFailedError
from ..robot import FrameSeen, LinkChanged, Received, Report, RobotSnapshot
from ..wording import counted
from .check import CHECKS, OBSERVED, Case, Stage
from .connection import KEPT, Observation, observation
from .examination import examine
from .finding import Cause, Finding, Severity
from .probe import Answer, ProbeResult
from .target import Target

_POLL_PERIOD = 0.2  #: s
#: s of real time in which the clock of a robot advances, unless its simulation is paused.
_ADVANCES = 3.0


def examine_held(
    robot: AmigoBot,
    target: Target,
    *,
    seconds: float = OBSERVED,
    on_progress: Callable[[str], None] = lambda text: None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Finding]:
    """Examine a connected robot. It should be at rest; it is neither driven nor closed, and keeps its settings.

    Args:
        robot: The robot.
        target: Its port.
        seconds: How long to listen to it, on its clock.
        on_progress: Called with what is done now.
        clock: The clock of the robot (s); the one of a simulation may be faster or slower.

    Yields:
        The findings of each check, as soon as it has them.
    """
    session = HeldSession(robot, clock)
    link = session.snapshot.link
    case = Case(target=target, seconds=seconds, on_progress=on_progress, stage=Stage.CONNECTED, connection=session)
    case.probe = ProbeResult(Answer.ROBOT, baud=link.baud) if link.baud else None
    if not link.running:
        text, again = f"The robot is not connected: {link.note}.", target.command()
        cause = Cause("no-session", text, "Wait until it is. Then:", again)
        yield Finding("session", Severity.ERROR, link.note, (cause,))
        return
    more = f", {counted(link.connections, 'connection')} so far" if link.connections > 1 else ""
    yield Finding("session", Severity.OK, f"it is open, {link.note}{more}")
    yield from examine(case, [row for row in CHECKS if row.stage is Stage.CONNECTED])


class HeldSession:
    """The session of an `AmigoBot`, which stays open."""

    def __init__(self, robot: AmigoBot, clock: Callable[[], float]) -> None:
        self._robot, self._clock = robot, clock
        self.frames: deque[FrameSeen] = deque()

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        return self._robot.snapshot()

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> Observation:
        """Collect what comes in some seconds.

        Args:
            seconds: Time in s.
            on_progress: Called some times a second with the remaining time in s.

        Raises:
            RequestFailedError: The clock of the robot stands still.
            ConnectionLostError: The robot was closed.
        """
        before, began = self.snapshot, self._clock()
        newest, advanced = began, time.monotonic()
        with self._robot.events(Report, Received, LinkChanged, maxlen=KEPT) as stream:
            while (remaining := began + seconds - self._clock()) > 0:
                on_progress(remaining)
                time.sleep(min(_POLL_PERIOD, remaining))
                if self._clock() != newest:
                    newest, advanced = self._clock(), time.monotonic()
                elif time.monotonic() - advanced > _ADVANCES:
                    raise RequestFailedError("the time of the robot stands still: let the simulation go on")
            return observation(stream.take_all(), self._clock() - began, before, self.snapshot)

    def close(self) -> bool | None:
        """Do nothing: the session stays open."""
        return None
