# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of checks: the rows of config/doctor.yaml, and the measure of each.

A measure is a function with @measure and its name. It gets `Evidence` (rows with `live`: a `History` of snapshots is
enough) and returns a figure, of which the row says the range; or what is wrong as a text, "" if nothing is; or several
`Seen`. A row names its measure, or has its name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import yaml

from ..resources import share
from .finding import Cause, Finding, Severity
from .target import Target


@dataclass(frozen=True, slots=True)
class Seen:
    """What a measure sees wrong."""

    text: str
    command: str = ""  #: mends it; "": the command that examines again
    values: Mapping[str, object] = field(default_factory=dict)
    key: str = ""  #: of the cause, if it is not that of the row
    severity: Severity | None = None  #: if it is not that of the row


Measure = Callable[[Any], "float | str | Iterable[Seen]"]
F = TypeVar("F", bound=Measure)


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table."""

    key: str
    part: str
    measure: str  #: name of the measure
    allowed: tuple[float, float]  #: range of its figure
    seen: str  #: what is seen: a format for the figure `value` and the evidence `on`
    severity: Severity
    live: bool  #: a running driver evaluates it
    only_live: bool  #: the doctor does not
    cause: str
    remedy: str


MEASURES: dict[str, Measure] = {}


def measure(name: str) -> Callable[[F], F]:
    """Make a function the measure with this name."""

    def add(function: F) -> F:
        MEASURES[name] = function
        return function

    return add


@functools.cache
def table() -> Mapping[str, Any]:
    """Return the content of config/doctor.yaml. It is read once."""
    content: Mapping[str, Any] = yaml.safe_load(share("config", "doctor.yaml").read_text(encoding="utf-8"))
    return content


@functools.cache
def checks() -> tuple[Check, ...]:
    """Return the rows in their order."""
    return tuple(
        Check(
            key=key,
            part=row["part"],
            measure=row.get("measure", key),
            allowed=tuple(row.get("range", (0, 0))),
            seen=row.get("seen", "{value}"),
            severity=Severity(row.get("severity", "warning")),
            live=bool(row.get("live")),
            only_live=row.get("live") == "only",
            cause=row["cause"],
            remedy=row.get("remedy", ""),
        )
        for key, row in table()["checks"].items()
    )


def evaluate(part: str, evidence: Any, *, live: bool = False, first: bool = False) -> Iterator[tuple[Check, Seen]]:
    """Yield what the rows of a part see wrong.

    Args:
        part: Of the connection or the robot.
        evidence: What the measures get.
        live: Evaluate the rows of a running driver.
        first: End with the first row that sees something: it explains the others.
    """
    for row in checks():
        if row.part != part or not (row.live if live else not row.only_live):
            continue
        found = list(_seen(row, evidence))
        yield from ((row, one) for one in found)
        if found and first:
            return


def _seen(row: Check, evidence: Any) -> Iterable[Seen]:
    value = MEASURES[row.measure](evidence)
    if isinstance(value, (int, float)):
        low, high = row.allowed
        return [] if low <= value <= high else [Seen(row.seen.format(value=value, on=evidence))]
    if isinstance(value, str):
        return [Seen(row.seen.format(value=value, on=evidence))] if value else []
    return value


def problem(row: Check, seen: Seen, target: Target) -> Finding:
    """Return a finding of the doctor."""
    text = row.cause.format(seen.text)
    remedy = f"{row.remedy.rstrip('.')}{':' if seen.command else '. Then:'}" if row.remedy else ""
    cause = Cause(seen.key or row.key, capitalized(text), remedy, seen.command or target.command())
    return Finding(row.part, seen.severity or row.severity, seen.text, (cause,), values=seen.values)


def capitalized(text: str) -> str:
    """Return a text with a first capital letter; the others stay."""
    return text[:1].upper() + text[1:]
