# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a check is, the table of all checks, and the case that they examine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from ..transport import Port
from .connection import Observation, ObservedSession
from .finding import Finding
from .probe import ProbeResult
from .target import Kind, Target

#: s from the beginning of the session to the end of the observation.
OBSERVED = 10.0


class Stage(IntEnum):
    """How far a case has come; a check runs if its stage is reached."""

    NAMED = 0  #: there is a target
    OPEN = 1  #: its port is open
    ANSWERING = 2  #: a robot answers
    CONNECTED = 3  #: a session is open


def _ignore(text: str) -> None:
    pass


@dataclass(slots=True, kw_only=True)
class Case:
    """One examination: its target, its options, and what the checks have found so far."""

    target: Target
    baud: int = 0  #: line speed that the user expects; 0: the profile's
    profile: str = ""  #: name or file of a profile; "": by the identity of the robot
    seconds: float = OBSERVED
    limit: float = math.inf  #: s from the beginning until the observation ends, if it has lasted half of `seconds`
    trace: bool = False  #: keep every frame, for a report
    on_progress: Callable[[str], None] = _ignore  #: called with what is done now, as it takes a while
    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")

    began: float = field(default_factory=time.monotonic, init=False)
    stage: Stage = Stage.NAMED
    addresses: frozenset[str] = frozenset()  #: IP addresses of the host
    port: Port | None = None
    early: bytes = b""  #: what came before the first byte was sent
    probe: ProbeResult | None = None
    connection: ObservedSession | None = None
    _observation: Observation | None = field(default=None, init=False)

    @property
    def session(self) -> ObservedSession:
        """The session; only after stage CONNECTED."""
        assert self.connection is not None
        return self.connection

    @property
    def observation(self) -> Observation:
        """What the session shows in some seconds; the first use waits for it."""
        if self._observation is None:
            self._observation = self.session.observe(
                self.seconds, lambda left: self.on_progress(f"listening to the robot, {left:.0f} s left")
            )
        return self._observation

    def close(self) -> None:
        """Close the session and the port."""
        if self.connection is not None:
            self.connection.close()
        elif self.port is not None:
            self.port.close()


#: Yields the findings of a check, and moves the case to its next stage.
Examine = Callable[[Case], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table."""

    name: str
    stage: Stage
    kinds: frozenset[Kind]
    examine: Examine

    @property
    def purpose(self) -> str:
        """What it examines, one line."""
        return (self.examine.__doc__ or "").strip().partition("\n")[0]

    def applies(self, case: Case) -> bool:
        """Whether this check can run now."""
        return case.stage >= self.stage and case.target.kind in self.kinds


#: Every check, in the order in which they run: that of the layers of a connection.
CHECKS: list[Check] = []


def check(name: str, stage: Stage, *kinds: Kind) -> Callable[[Examine], Examine]:
    """Add a function to the table of checks; without `kinds` it is for all."""

    def add(function: Examine) -> Examine:
        CHECKS.append(Check(name, stage, frozenset(kinds or Kind), function))
        return function

    return add
