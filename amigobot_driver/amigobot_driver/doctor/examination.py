# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Runs the checks on one target, and yields what they find as they find it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import AmigoBotError
from . import checks
from .check import CHECKS, Case, Check, Stage
from .finding import Cause, Finding, Severity

assert checks

#: What must have a result for all to be well.
PROOFS = frozenset({"link", "commands", "configuration", "battery", "motors", "rest", "sonars"})


def examine(case: Case, table: Sequence[Check] = CHECKS) -> Iterator[Finding]:
    """Examine a target in the order of the layers of its connection.

    An error below the session ends the examination: what lies above it cannot work.

    Args:
        case: The target and the options; it is closed at the end, or when the iterator is closed.
        table: The checks, in order.

    Yields:
        The findings of each check, as soon as it has them. Some checks take several seconds.
    """
    try:
        seen: list[Finding] = []
        for row in table:
            if not row.applies(case):
                continue
            blocked = False
            for finding in _run(row, case):
                blocked = blocked or (finding.severity is Severity.ERROR and case.stage < Stage.CONNECTED)
                seen.append(finding)
                yield finding
            if blocked:
                return
        yield from _unproven(case, seen)
    finally:
        case.close()


def _unproven(case: Case, seen: Sequence[Finding]) -> Iterator[Finding]:
    """All is well only if each part was seen to work: a check without a result is a problem, too."""
    missing = sorted(PROOFS - {finding.check for finding in seen})
    if missing and not any(finding.severity.is_problem for finding in seen):
        text = f"Nothing could be measured of: {', '.join(missing)}."
        cause = Cause("unproven", text, "Examine it for longer:", case.target.command(" --seconds 60"))
        yield Finding("proof", Severity.WARNING, f"not proven: {', '.join(missing)}", (cause,))


def _run(row: Check, case: Case) -> Iterator[Finding]:
    try:
        yield from row.examine(case)
    except AmigoBotError as error:
        cause = Cause("failed", f"{error}.", "Check again:", case.target.command())
        yield Finding(row.name, Severity.ERROR, str(error), (cause,))


def verdict(findings: Iterable[Finding]) -> list[tuple[Finding, Cause]]:
    """Return the causes of all problems, the most probable and most serious first.

    Errors come before warnings. Within each, the lower layer comes first: it may explain the others.
    """
    problems = [finding for finding in findings if finding.severity.is_problem]
    ranked = sorted(problems, key=lambda finding: finding.severity is not Severity.ERROR)
    return [(finding, cause) for finding in ranked for cause in finding.causes]


def not_examined(findings: Iterable[Finding]) -> list[str]:
    """Return what no check has examined, as the robot stays at rest or nothing is near it."""
    findings = list(findings)
    moves = ["driving (`amigobot verify` does)"] if any(one.check == "rest" for one in findings) else []
    return [*moves, *(str(one.values["not_examined"]) for one in findings if "not_examined" in one.values)]
