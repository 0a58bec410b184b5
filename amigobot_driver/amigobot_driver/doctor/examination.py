# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Examines one target: computer, line, session, then every part of the table on the evidence that was recorded."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ..api import AmigoBot
from ..errors import AmigoBotError, PortError
from . import computer, line, link_checks, robot_checks, sonar_checks
from .case import OBSERVED, Case, ignore
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .probe import Answer, CommandTrial, Prober, ProbeResult
from .session import HeldSession, OwnSession
from .table import evaluate, problem
from .target import Target

#: s until a session is open, with the configuration: a CONFIG packet takes 0.1 s at 9600 baud and may be sent again.
_OPENING = 6.0
#: What must have a result for all to be well.
PROOFS = frozenset({"link", "commands", "configuration", "battery", "motors", "rest", "fields", "sonars"})
#: The same for a session that this program uses already: its bytes are not recorded.
_HELD_PROOFS = PROOFS - {"commands", "fields"}
#: Parts of which the first row that fits explains the others.
_FIRST_ONLY = {"link", "commands", "rest", "sonars"}
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
        elif case.port is not None:
            case.port.close()


def _examine(case: Case, began: float) -> Iterator[Finding]:
    for step in (*computer.STEPS[case.target.kind], line.line):
        failed = False
        for finding in step(case):
            failed = failed or finding.severity is Severity.ERROR
            yield finding
        if failed:
            return
    assert case.port is not None
    probe = case.probe
    assert probe is not None
    trial = () if probe.streaming or case.port.name.startswith("sim:") else _trial(case, probe)
    case.on_progress("opening a session")
    session = case.session = OwnSession(
        case.port,
        reopen=partial(case.open, probe.baud or 9600),
        baud=probe.baud,
        profile=case.profile,
        # A robot that another program left in a session may return to the speed of its FLASH when that ends.
        search=probe.streaming,
        clock=case.clock,
        latest=began + case.limit,
    )
    running = session.wait(2 * _OPENING if probe.streaming else _OPENING)
    now = session.snapshot
    evidence = Evidence(
        target=case.target,
        before=now,
        after=now,
        baud=probe.baud,
        trial=trial,
        streaming=probe.streaming,
        counted=probe.counted,
        refused=session.refused,
        chunks=tuple(case.chunks),
        losses=() if running else (now.link.note,),
    )
    if not (running or session.opened):
        # What the line does comes first: it looks like a robot that opens no session.
        yield from [*line.changed_bytes(evidence, "link"), *_problems("link", evidence)][:1]
        return
    if running:
        yield from robot_checks.identity(evidence, case.profile, case.baud)
    else:
        yield Finding("session", Severity.NOTE, f"the session opened and ended: {now.link.note}")
    observed = session.observe(case.seconds, lambda left: case.on_progress(f"listening, {left:.0f} s left"))
    evidence = dataclasses.replace(evidence, chunks=tuple(case.chunks), **observed)
    if evidence.losses and not evidence.after.link.running:
        evidence = dataclasses.replace(evidence, found_at=_other_speed(case, session, probe))
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
    session = HeldSession(robot, clock)
    now = session.snapshot
    if not now.link.running:
        cause = Cause(
            "no-session", f"The robot is not connected: {now.link.note}.", "Wait until it is. Then:", target.command()
        )
        yield Finding("session", Severity.ERROR, now.link.note, (cause,))
        return
    yield Finding("session", Severity.OK, f"it is open, {now.link.note}")
    observed = session.observe(seconds, lambda left: on_progress(f"listening, {left:.0f} s left"))
    evidence = Evidence(target=target, baud=now.link.baud, **observed)
    seen = list(robot_checks.identity(evidence, "", 0))
    seen += _parts(evidence)
    yield from seen
    yield from _unproven(target, seen, _HELD_PROOFS)


def _parts(evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings of the link and of each part; a bad line leaves out what it makes look faulty."""
    values, details = link_checks.link_values(evidence)
    found = [*line.changed_bytes(evidence, "link"), *_problems("link", evidence)][:1]
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
        yield from sonar_checks.far(evidence)


def _problems(part: str, evidence: Evidence) -> Iterator[Finding]:
    for row, seen in evaluate(part, evidence, first=part in _FIRST_ONLY):
        yield problem(row, seen, evidence.target)


def _trial(case: Case, probe: ProbeResult) -> tuple[CommandTrial, ...]:
    assert case.port is not None
    prober = Prober(case.port, clock=case.clock)
    prober.result = probe
    return prober.try_commands()


def _other_speed(case: Case, session: OwnSession, probe: ProbeResult) -> int:
    """Look for a robot that was lost at the other line speeds."""
    if session.port is None:
        return 0
    try:
        found = Prober(session.port, clock=case.clock).run(probe.baud)
    except PortError:
        return 0
    return found.baud if found.answer is Answer.ROBOT else 0


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
