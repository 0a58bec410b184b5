# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Examines one target: computer, line, session, then every part of the table on the evidence that was recorded."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..api import AmigoBot
from ..errors import AmigoBotError
from ..transport import Target
from .case import OBSERVED, Case
from .computer import SIDES
from .finding import Cause, Finding, Severity
from .line_figures import LineFigures
from .own_session import OwnSession, observe_held
from .packet_figures import PacketFigures
from .recorded_session import RecordedSession
from .robot_figures import RobotFigures
from .sonar_figures import SonarFigures
from .table import findings_of

#: What must have a result for all to be well.
_PROOFS = frozenset({"link", "commands", "configuration", "battery", "motors", "rest", "fields", "sonars"})
#: The parts of a session, in their order.
_IDENTITY = ("identity", "line speed")
_PARTS = ("commands", "configuration", "battery", "motors", "bumpers", "rest", "fields", "sonars", "sonar", "gyro")
_NEED_A_LINE = {"commands", "gyro"}  #: parts that a bad line makes look faulty
_NEED_RIGHT_PACKETS = {"fields", "sonars", "sonar"}  #: parts that late or missing packets do not make look faulty
_DELAYS = {"late-packets", "irregular-packets", "latency", "slow-open"}
_RIGHT_PACKETS = _DELAYS | {"lost-packets", "pauses"}
#: What stays unproven at rest.
_AT_REST = (
    "driving, encoder packets and the battery under load (`amigobot verify` does), whether ranges and inputs are true"
)


@dataclass(kw_only=True, eq=False)
class Evidence(RecordedSession):
    """What was recorded, and the objects that compute figures of it, each in the module of its name."""

    def __post_init__(self) -> None:
        self.line = LineFigures(self)
        self.packets = PacketFigures(self, self.line)
        self.robot = RobotFigures(self)
        self.sonars = SonarFigures(self)


def examine(case: Case) -> Iterator[Finding]:
    """Examine a target in the order of the layers of its connection.

    An error below the session ends the examination: what lies above it cannot work.

    Args:
        case: The target and the options; it is closed at the end, or when the iterator is closed.

    Yields:
        The findings of each part, as soon as there are any. Some take several seconds.
    """
    seen = []
    try:
        for finding in _examine(case):
            seen.append(finding)
            yield finding
        if case.session is not None:
            yield from _unproven(case.target, seen)
    except AmigoBotError as error:
        cause = Cause("failed", f"{error}.", "Check again:", case.target.command())
        yield Finding("examination", Severity.ERROR, str(error), (cause,))
    finally:
        if case.session is not None:
            case.session.close()
        elif case.line is not None:
            case.line.close()


def _examine(case: Case) -> Iterator[Finding]:
    computer = SIDES[case.target.kind](case)
    for part in computer.parts:
        found = findings_of(part, computer)
        yield from found
        if any(finding.severity is Severity.ERROR for finding in found):
            return
    assert case.line is not None
    case.on_progress("asking for a robot at each line speed")
    began = case.clock()
    session = case.session = OwnSession(case.line, case.clock, case.profile, case.baud)
    running = session.wait()
    if not (session.snapshot.link.connections or session.refused) and (baud := session.first_baud):
        # It answers there, and the search goes on because packets are lost.
        case.line.only_speed = bool(case.line.byte_time)
        session = case.session = OwnSession(case.line, case.clock, case.profile, baud)
        running = session.wait()
    now = session.snapshot
    evidence = Evidence(
        target=case.target,
        snapshots=deque((now, now)),
        baud=session.first_baud if case.line.byte_time is not None else 0,
        refused=session.refused,
        frames=tuple(case.line.frames),
        chunks=tuple(case.line.chunks),
        losses=() if running else (now.link.note,),
        port_problem=case.line.problem,
        computer=computer,
        requested=case.profile,
        expected_baud=case.baud,
    )
    found = findings_of("line", evidence)
    yield from found
    if not now.link.connections:
        # What the line does comes first: it looks like a robot that opens no session.
        yield from () if found[0].severity.is_problem else findings_of("link", evidence)
        return
    yield from findings_of("session", evidence)
    for part in _IDENTITY if running else ():
        yield from findings_of(part, evidence)
    observed = session.observe(case.seconds, began, lambda left: case.on_progress(f"listening, {left:.0f} s left"))
    evidence = replace(evidence, port_problem=case.line.problem, **vars(observed))
    if evidence.losses and not evidence.now.link.running:
        again = OwnSession(case.line, case.clock, case.profile)
        case.session = session = again if again.wait() else session
        evidence = replace(evidence, found_at=again.first_baud, opened_again=session is again)
    yield from _parts(evidence)
    case.on_progress("closing the session")
    yield from findings_of("end", replace(evidence, close_ignored=not session.close()))


def examine_held(
    robot: AmigoBot,
    target: Target,
    *,
    on_progress: Callable[[str], None] = lambda text: None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Finding]:
    """Examine a connected robot. It should be at rest; it is neither driven nor closed, and keeps its settings.

    Args:
        robot: The robot, with `Options.trace`.
        target: Its port.
        on_progress: Called with what is done now.
        clock: The clock of the robot (s); the one of a simulation may be faster or slower.

    Yields:
        The findings of each part, as soon as there are any.
    """
    link = robot.snapshot().link
    if not link.running:
        text = f"The robot is not connected: {link.note}."
        cause = Cause("no-session", text, "Wait until it is. Then:", target.command())
        yield Finding("session", Severity.ERROR, link.note, (cause,))
        return
    yield Finding("session", Severity.OK, f"it is open, {link.note}")
    observed = observe_held(robot, OBSERVED, clock, lambda left: on_progress(f"listening, {left:.0f} s left"))
    evidence = Evidence(target=target, baud=link.baud, **vars(observed))
    seen = [finding for part in _IDENTITY for finding in findings_of(part, evidence)]
    seen += _parts(evidence)
    yield from seen
    yield from _unproven(target, seen)


def _parts(evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings of the link and of each part; a bad line leaves out what it makes look faulty."""
    found = findings_of("link", evidence)
    yield from found
    disturbed = any(finding.severity.is_problem for finding in found)
    if disturbed:
        yield from findings_of("computer", evidence)
    evidence = replace(evidence, disturbed=disturbed)
    wrong = any(cause.key not in _RIGHT_PACKETS for finding in found for cause in finding.causes)
    left_out = (_NEED_A_LINE if disturbed else set()) | (_NEED_RIGHT_PACKETS if wrong else set())
    left_out |= set(_PARTS) if evidence.line.unreliable else set()
    found = []
    for part in _PARTS:
        # What is wrong with the whole ring looks like faults of each sonar.
        ring_fails = part == "sonar" and any(finding.severity.is_problem for finding in found)
        if ring_fails or part in left_out:
            continue
        found = findings_of(part, evidence)
        yield from found


def _unproven(target: Target, seen: Sequence[Finding]) -> Iterator[Finding]:
    """All is well only if each part was seen to work: a part without a result is a problem, too."""
    missing = sorted(_PROOFS - {finding.check for finding in seen})
    if missing and not any(finding.severity.is_problem for finding in seen):
        text = f"Nothing could be measured of: {', '.join(missing)}."
        cause = Cause("unproven", text, "Examine it for longer:", target.command(" --seconds 60"))
        yield Finding("proof", Severity.WARNING, f"not proven: {', '.join(missing)}", (cause,))


def verdict(findings: Iterable[Finding]) -> list[tuple[Finding, Cause]]:
    """Return the causes of all problems, the most probable and most serious first.

    What the line does to packets comes first. Then errors come before warnings; within each, the lower layer comes
    first: it may explain the others. A line or computer that only delays right packets explains no fault of the robot.
    """

    def rank(one: Finding) -> tuple[bool, bool, bool]:
        delays = one.check == "computer" or all(cause.key in _DELAYS for cause in one.causes)
        return one.check not in ("line", "link") or delays, one.severity is not Severity.ERROR, delays

    ranked = sorted((finding for finding in findings if finding.severity.is_problem), key=rank)
    return [(finding, cause) for finding in ranked for cause in finding.causes]


def not_examined(findings: Sequence[Finding]) -> list[str]:
    """Return what no check has examined, as the robot stays at rest or nothing is near it."""
    moves = [_AT_REST] if any(one.check == "rest" for one in findings) else []
    return [*moves, *(str(one.values["not_examined"]) for one in findings if "not_examined" in one.values)]


def as_json(target: Target, findings: Iterable[Finding], seconds: float) -> dict[str, Any]:
    """Return an examination as values of JSON.

    Args:
        target: What was examined.
        findings: What was found.
        seconds: How long it took.
    """
    findings = list(findings)
    return {
        "target": target.typed,
        "not_examined": not_examined(findings),
        "healthy": not any(finding.severity.is_problem for finding in findings),
        "seconds": round(seconds, 1),
        "verdict": [{"check": finding.check, **asdict(cause)} for finding, cause in verdict(findings)],
        "findings": [{**asdict(finding), "severity": finding.severity.value} for finding in findings],
    }
