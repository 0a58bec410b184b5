# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of checks (config/doctor.yaml): rows with a condition on figures, and what to say where it holds.

A figure is an attribute of an object: the computer's side of a port, the `History` of a running driver, the `Evidence`
of an examination and its parts, the `Graph` of ROS. Conditions, and what stands in braces in a text, are Python
expressions of figures; a condition compares them, and neither chooses nor loops. What needs more is a property.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import CodeType
from typing import Any

from ..resources import read_yaml, share
from ..robot import radio_modem
from ..transport.target import DEFAULT_TCP_PORT
from ..wording import counted, robot_name
from .finding import Cause, Finding, Severity

SETTLED = 5  #: SIPs until the motors are off after ENABLE 0
SOME = 3  #: packets that must show a wrong value
_CHANGES = 4  #: changes of a value that are no accident
ENOUGH = 20  #: values that have a mean or a noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cause."""

    key: str = ""
    when: str = "True"  #: the condition
    each: str = ""  #: a list of figures: the row is evaluated for each item, which is `it`
    series: tuple[Mapping[str, Any], ...] = ()  #: values to judge; `it` is what is wrong with the first wrong ones
    severity: str = "warning"
    seen: str = "{it}"
    cause: str = "{seen}."
    remedy: str = ""  #: what to do by hand
    remedies: Mapping[str, str] = field(default_factory=dict)  #: more of that, by a word of what is seen
    command: str = ""  #: "": the command that examines again
    values: Mapping[str, str] = field(default_factory=dict)
    live: str = ""  #: both: a running driver evaluates it, too; only: the doctor does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one part of the connection or the robot."""

    rows: tuple[Row, ...] = ()
    ok: str = ""  #: shown if no row applies; "": nothing
    ok_when: str = "True"  #: the condition for that
    detail: str = ""  #: a further line of each finding
    values: Mapping[str, str] = field(default_factory=dict)
    each: str = "()"  #: a figure that has items with values of their own
    values_of_each: Mapping[str, str] = field(default_factory=dict)  #: by a name with `it`, the item
    first: bool = False  #: the first row that applies explains the others
    needs_packets: bool = False  #: nothing is known without packets


def listed(items: Any, noun: str = "") -> str:
    """Return some items with commas: "sonars 1, 2"."""
    plural = f"{noun}{'s' * (len(items) > 1)} " if noun else ""
    return plural + ", ".join(map(str, items))


def capitalized(text: str) -> str:
    """Return a text with a first capital letter; the others stay."""
    return text[:1].upper() + text[1:]


def as_seconds(value: float) -> str:
    """Return a time that may be unknown."""
    return f"{value:.3f}" if math.isfinite(value) else "not measured"


def as_meters(distance: float) -> str:
    """Return a range that may be unknown."""
    return "none yet" if math.isnan(distance) else "no echo" if math.isinf(distance) else f"{distance:.2f} m"


def differ(one: str, other: str | int) -> bool:
    """Whether two names that are known differ, but for capitals, which vary (docs/protocol E-14)."""
    return bool(one and other) and one.lower() != str(other).lower()


#: What expressions may call besides figures and built-in functions.
HELPERS: Mapping[str, Any] = {
    "counted": counted,
    "listed": listed,
    "robot_name": robot_name,
    "differ": differ,
    "modem_failure": radio_modem.failure,
    "median": statistics.median_high,
    "DEFAULT_TCP_PORT": DEFAULT_TCP_PORT,
    "as_seconds": as_seconds,
    "as_meters": as_meters,
}


class Names(dict[str, Any]):
    """The names of an expression: figures, and those of the row."""

    def __init__(self, figures: object, **own: object) -> None:
        super().__init__(HELPERS, **own)
        self.figures = figures

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.figures, name)
        except AttributeError as error:
            if error.name != name:
                raise  # a mistake inside the figure
            raise KeyError(name) from None

    def value(self, expression: str) -> Any:
        """Return the value of an expression."""
        return eval(_compiled(expression), self)

    def text(self, template: str) -> str:
        """Return a text with the values of what stands in braces."""
        # An f-string; the space keeps a quotation mark at its end apart.
        return str(self.value(f'rf"""{template} """'))[:-1]

    def remedy(self, row: Row) -> str:
        """Return what to do by hand."""
        more = [f"{text}." for word, text in row.remedies.items() if word in self["seen"]]
        return " ".join([self.text(row.remedy), *more]).strip()

    def named(self, expressions: Mapping[str, str]) -> dict[str, object]:
        """Return named values; one that is None is left out."""
        values = {self.text(name): self.value(expression) for name, expression in expressions.items()}
        return {name: value for name, value in values.items() if value is not None}


@functools.cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "config/doctor.yaml", "eval")


@functools.cache
def content() -> Mapping[str, Any]:
    """Return config/doctor.yaml. It is read once."""
    read: Mapping[str, Any] = read_yaml(share("config", "doctor.yaml"))
    return read


@functools.cache
def table(section: str = "parts") -> Mapping[str, Part]:
    """Return the parts of a section in their order."""
    return {
        name: Part(**{**part, "rows": tuple(Row(**row) for row in part.get("rows", ()))})
        for name, part in content()[section].items()
    }


def applying(part: Part, figures: object, *, live: bool = False) -> Iterator[tuple[Row, Names]]:
    """Yield the rows of a part that apply, with the names that their texts use."""
    for row in part.rows:
        if row.live != "both" and (row.live == "only") != live:
            continue
        applied = False
        for item in _items(row, figures):
            names = Names(figures, it=item)
            if names.value(row.when):
                applied, names["seen"] = True, names.text(row.seen)
                yield row, names
        if applied and part.first:
            return


def _items(row: Row, figures: Any) -> list[Any]:
    """Return for what a row is evaluated: once, or for each item."""
    if row.series:
        return [text for one in row.series if (text := judge(one, figures))][:1]
    return Names(figures).value(row.each) if row.each else [""]


def judge(row: Mapping[str, Any], figures: Any) -> str:
    """Return what is wrong with the values of a series; "" if nothing is."""
    if "report" in row:
        values = [getattr(report, row["report"]) for report in figures.reports[SETTLED:]]
    elif "packet" in row:
        values = [getattr(sip, row["packet"]) for sip in figures.decoded[SETTLED:]]
    else:
        values = attrgetter(row["figure"])(figures)
    values = [value for value in values if value is not None and value != row.get("unknown")]
    if "mean" in row:
        values = [statistics.fmean(values)] if len(values) >= ENOUGH else []
    if "unit" in row:
        values = [value * attrgetter(row["unit"])(figures) for value in values]
    wrong = [value for value in values if not _is_plausible(row, value)]
    if len(wrong) >= (1 if "mean" in row else row.get("times", SOME)):
        where = f" in {counted(len(wrong), 'packet')}" if len(values) > 1 else ""  # one is of all packets
        return f"{row['what']} is {max(wrong, key=abs):.4g}{where}"
    steady = [int(value) & ~row["ignore"] if "ignore" in row else value for value in values]
    changes = _changes(steady, row.get("by", 0))
    if row.get("steady") and changes >= row.get("changes", _CHANGES):
        low, high = min(steady), max(steady)
        return f"{counted(changes, 'change')} of {row['what']} at rest, between {low:g} and {high:g}"
    return ""


def _changes(values: Iterable[float], least: float) -> int:
    """How often a value changes by more than `least` from where it was last."""
    changes, last = -1, math.inf
    for value in values:
        if abs(value - last) > least:
            changes, last = changes + 1, value
    return changes


def _is_plausible(row: Mapping[str, Any], value: float) -> bool:
    low, high = row.get("range", (-math.inf, math.inf))
    allowed = "allowed" not in row or value in row["allowed"]
    return bool(low <= value <= high and allowed and ("bits" not in row or not int(value) & ~row["bits"]))


def findings_of(name: str, figures: object) -> list[Finding]:
    """Return what the rows of a part find, or that it is well. Causes of the same sight are one finding."""
    part, names, found = table()[name], Names(figures), dict[tuple[Severity, str], Finding]()
    values, details = names.named(part.values), tuple(filter(None, [names.text(part.detail)]))
    for row, own in applying(part, figures):
        severity, seen = Severity(own.text(row.severity)), own["seen"]
        causes = (_cause(row, own),) if severity.is_problem else ()
        before = found.get((severity, seen), Finding(name, severity, seen, (), details, values))
        found[severity, seen] = replace(
            before, causes=before.causes + causes, values={**before.values, **own.named(row.values)}
        )
    if part.ok and not any(severity.is_problem for severity, _ in found) and names.value(part.ok_when):
        text = names.text(part.ok)
        found[Severity.OK, text] = Finding(name, Severity.OK, text, (), details, values)
    return [*found.values()]


def _cause(row: Row, names: Names) -> Cause:
    command, remedy = names.text(row.command), names.remedy(row).rstrip(".:")
    if not command:
        command, remedy = names["target"].command(), f"{remedy}. Then" if remedy else ""
    return Cause(names.text(row.key), capitalized(names.text(row.cause)), remedy and f"{remedy}:", command)
