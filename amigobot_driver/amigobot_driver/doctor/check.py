# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a check is, the table of all checks, and the case that they examine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from ..transport import Port, open_port
from .connection import Observation, ObservedSession
from .finding import Cause, Finding, Severity
from .probe import ProbeResult
from .tap import Chunk, TappedPort
from .target import Kind, Target
from .traffic import Traffic

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
    opener: Callable[[str, int], Port] = open_port
    clock: Callable[[], float] = time.monotonic  #: s, as of the ports that `opener` opens

    began: float = field(init=False)
    stage: Stage = Stage.NAMED
    addresses: frozenset[str] = frozenset()  #: IP addresses of the host
    port: Port | None = None
    chunks: list[Chunk] = field(default_factory=list, init=False)  #: every byte on the port, with its time
    early: bytes = b""  #: what came before the first byte was sent
    probe: ProbeResult | None = None
    connection: ObservedSession | None = None
    line_fault: bool = field(default=False, init=False)  #: the line is bad: what it carries says little of the robot
    _observation: Observation | None = field(default=None, init=False)
    _traffic: Traffic | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def open(self, baud: int) -> Port:
        """Open the port of the target, with a tap.

        Raises:
            PortError: It cannot be opened.
        """
        return TappedPort(self.opener(self.target.url, baud), self.chunks, self.clock)

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

    @property
    def traffic(self) -> Traffic:
        """What the line shows in that time."""
        if self._traffic is None:
            self._traffic = Traffic(self.observation)
        return self._traffic

    def close(self) -> None:
        """Close the session and the port."""
        if self.connection is not None:
            self.connection.close()
        elif self.port is not None:
            self.port.close()


#: What one row of a table measures: what is wrong, as a text; "" if nothing is.
Measure = Callable[[Case], str]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that can be wrong: how it is measured, and what it means."""

    key: str  #: of the cause
    severity: Severity
    measure: Measure
    cause: str  #: why, one sentence; `{}` is what was measured
    action: str  #: what to do by hand; the command examines again


def wrong(name: str, rows: Iterable[Row], case: Case, *, first: bool = False) -> Iterator[Finding]:
    """Yield a finding for each row of a table that measures something wrong.

    Args:
        name: Of the check.
        rows: The table, the row that explains the others first.
        case: What is examined.
        first: End with the first finding: the further rows measure the same trouble.
    """
    for row in rows:
        if seen := row.measure(case):
            text = row.cause.format(seen)
            cause = Cause(row.key, text[0].upper() + text[1:], row.action, case.target.command())
            yield Finding(name, row.severity, seen, (cause,))
            if first:
                return


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
