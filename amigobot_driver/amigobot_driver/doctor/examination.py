# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Examines one target: computer, line, session, then every part of the table on the evidence that was recorded."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator

from ..api import AmigoBot
from ..errors import AmigoBotError
from . import computer, link_checks, robot_checks, sonar_checks
from .case import OBSERVED, Case, ignore
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .no_robot import changed_bytes, no_robot
from .session import OwnSession, observe_held
from .table import evaluate, problem
from .target import Target

#: What must have a result for all to be well; of a session that this program uses already, the bytes are not recorded.
PROOFS = frozenset({"link", "commands", "configuration", "battery", "motors", "rest", "fields", "sonars"})
_HELD_PROOFS = PROOFS - {"commands", "fields"}
#: Parts of which the first row that fits explains the others.
_FIRST_ONLY = {"link", "commands", "battery", "rest", "sonars"}
#: The parts after the link, and what each shows if nothing is wrong; "" if that is not known.
_PARTS: tuple[tuple[str, Callable[[Evidence], str]], ...] = (
    ("commands", link_checks.commands_shown),
    ("configuration", robot_checks.configuration_shown),
    ("battery", robot_checks.battery_shown),
    ("motors", robot_checks.motors_shown),
    ("bumpers", lambda evidence: ""),
    ("rest", robot_checks.rest_shown),
    ("fields", robot_checks.fields_shown),
    ("sonars", sonar_checks.sonars_shown),
    ("sonar", lambda evidence: ""),
    ("gyro", robot_checks.gyro_shown),
)
#: Parts that a bad line makes look faulty.
_NEED_A_LINE = {"commands", "fields", "sonars", "sonar", "gyro"}


def examine(case: Case) -> Iterator[Finding]:
    """Examine a target in the order of the layers of its connection.

    An error below the session ends the examination: what lies above it cannot work.

    Args:
        case: The target and the options; it is closed at the end, or when the iterator is closed.

    Yields:
        The findings of each part, as soon as there are any. Some take several seconds.
    """
    began, seen = case.clock(), []
    try:
        for finding in _examine(case, began):
            seen.append(finding)
            yield finding
        if case.session is not None:
            yield from _unproven(case.target, seen, PROOFS)
    except AmigoBotError as error:
        cause = Cause("failed", f"{error}.", "Check again:", case.target.command())
        yield Finding("examination", Severity.ERROR, str(error), (cause,))
    finally:
        if case.session is not None:
            case.session.close()
        elif case.line is not None:
            case.line.close()


def _examine(case: Case, began: float) -> Iterator[Finding]:
    for step in computer.STEPS[case.target.kind]:
        failed = False
        for finding in step(case):
            failed = failed or finding.severity is Severity.ERROR
            yield finding
        if failed:
            return
    assert case.line is not None
    case.on_progress("asking for a robot at each line speed")
    session = case.session = OwnSession(case.line, case.clock, case.profile, case.baud)
    running = session.wait()
    if not (running or session.opened or session.refused) and (baud := session.first_baud):
        # It answers there, and the search goes on because packets are lost.
        case.line.only_speed = bool(case.line.byte_time)
        session = case.session = OwnSession(case.line, case.clock, case.profile, baud)
        running = session.wait()
    now = session.snapshot
    baud = session.first_baud if case.line.byte_time is not None else 0
    evidence = Evidence(
        target=case.target,
        before=now,
        after=now,
        baud=baud,
        refused=session.refused,
        chunks=tuple(case.line.chunks),
        losses=() if running else (now.link.note,),
    )
    if not (running or session.opened):
        # What the line does comes first: it looks like a robot that opens no session.
        if nothing := no_robot(evidence, case.line.problem):
            yield nothing
            return
        yield Finding("line", Severity.OK, "a robot answers")
        yield from [*_problems("link", evidence)][:1] or [_unknown(evidence)]
        return
    left_open = not case.line.chunks[0].to_robot
    text = f"a robot answers{f' at {baud} baud' * bool(baud)}"
    text += " (a session was open: another program crashed, or it is an Erratic)" * left_open
    yield Finding("line", Severity.OK, text, values={"baud": baud})
    if running:
        yield from robot_checks.identity(evidence, case.profile, case.baud)
    else:
        yield Finding("session", Severity.NOTE, f"the session opened and ended: {now.link.note}")
    latest, on_progress = began + case.limit, case.on_progress
    observed = session.observe(case.seconds, latest, lambda left: on_progress(f"listening, {left:.0f} s left"))
    evidence = dataclasses.replace(evidence, chunks=tuple(case.line.chunks), port_problem=case.line.problem, **observed)
    if evidence.losses and not evidence.after.link.running:
        again = OwnSession(case.line, case.clock, case.profile)
        case.session = session = again if again.wait() else session
        evidence = dataclasses.replace(evidence, found_at=again.first_baud)
    yield from _parts(evidence)
    case.on_progress("closing the session")
    evidence = dataclasses.replace(evidence, close_ignored=not session.close())
    ended = list(_problems("end", evidence))
    yield from ended or [Finding("end", Severity.OK, "the robot ended the session")]


def examine_held(
    robot: AmigoBot,
    target: Target,
    *,
    seconds: float = OBSERVED,
    on_progress: Callable[[str], None] = ignore,
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
        The findings of each part, as soon as there are any.
    """
    link = robot.snapshot().link
    if not link.running:
        cause = Cause(
            "no-session", f"The robot is not connected: {link.note}.", "Wait until it is. Then:", target.command()
        )
        yield Finding("session", Severity.ERROR, link.note, (cause,))
        return
    yield Finding("session", Severity.OK, f"it is open, {link.note}")
    observed = observe_held(robot, seconds, clock, lambda left: on_progress(f"listening, {left:.0f} s left"))
    evidence = Evidence(target=target, baud=link.baud, **observed)
    seen = [*robot_checks.identity(evidence, "", 0), *_parts(evidence)]
    yield from seen
    yield from _unproven(target, seen, _HELD_PROOFS)


def _parts(evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings of the link and of each part; a bad line leaves out what it makes look faulty."""
    values, details = link_checks.link_values(evidence)
    found = [*changed_bytes(evidence, "link"), *_problems("link", evidence)][:1]
    for finding in found:
        causes = (*finding.causes, *link_checks.overload(evidence.target))
        yield dataclasses.replace(finding, causes=causes, details=details, values=values)
    if not found and len(evidence.reports) >= link_checks.ENOUGH:
        yield Finding("link", Severity.OK, evidence.summary, details=details, values=values)
    evidence = dataclasses.replace(evidence, disturbed=bool(found))
    wrong = set()
    for part, show in _PARTS:
        # What is wrong with the whole ring looks like faults of each sonar.
        if (evidence.disturbed and part in _NEED_A_LINE) or (part == "sonar" and "sonars" in wrong):
            continue
        problems = list(_problems(part, evidence))
        wrong |= {part} if problems else set()
        yield from problems
        if not problems and (shown := show(evidence)):
            yield Finding(part, Severity.OK, shown)
    if not evidence.disturbed:
        yield from sonar_checks.not_examined(evidence)


def _problems(part: str, evidence: Evidence) -> Iterator[Finding]:
    for row, seen in evaluate(part, evidence, first=part in _FIRST_ONLY):
        yield problem(row, seen, evidence.target)


def _unknown(evidence: Evidence) -> Finding:
    cause = Cause("no-session", f"{evidence.after.link.note}.", "Check again:", evidence.target.command())
    return Finding("link", Severity.ERROR, evidence.after.link.note, (cause,))


def _unproven(target: Target, seen: Iterable[Finding], proofs: frozenset[str]) -> Iterator[Finding]:
    """All is well only if each part was seen to work: a part without a result is a problem, too."""
    seen = list(seen)
    missing = sorted(proofs - {finding.check for finding in seen})
    if missing and not any(finding.severity.is_problem for finding in seen):
        text = f"Nothing could be measured of: {', '.join(missing)}."
        cause = Cause("unproven", text, "Examine it for longer:", target.command(" --seconds 60"))
        yield Finding("proof", Severity.WARNING, f"not proven: {', '.join(missing)}", (cause,))


def verdict(findings: Iterable[Finding]) -> list[tuple[Finding, Cause]]:
    """Return the causes of all problems, the most probable and most serious first.

    What the line shows comes first. Then errors come before warnings; within each, the lower layer comes first: it may
    explain the others.
    """
    problems = [finding for finding in findings if finding.severity.is_problem]
    ranked = sorted(problems, key=lambda one: (one.check not in ("line", "link"), one.severity is not Severity.ERROR))
    return [(finding, cause) for finding in ranked for cause in finding.causes]


def not_examined(findings: Iterable[Finding]) -> list[str]:
    """Return what no check has examined, as the robot stays at rest or nothing is near it."""
    findings = list(findings)
    moves = ["driving (`amigobot verify` does)"] if any(one.check == "rest" for one in findings) else []
    return [*moves, *(str(one.values["not_examined"]) for one in findings if "not_examined" in one.values)]
