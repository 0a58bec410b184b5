# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page report.md: every figure of a report, for a person or an issue."""

from __future__ import annotations

from collections.abc import Iterator

from .report import Report
from .runner import DONE
from .table import table
from .trial import Value
from .verdict import AS_SIMULATED, DIFFERS, UNKNOWN, Compared

_HEAD = "| Figure | Robot | Simulator | Verdict |\n|---|---|---|---|"


def as_markdown(report: Report) -> str:
    """Return the page."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    robot, steps = report.robot, table().steps
    yield f"# {robot.get('name', '')}: {robot.get('class', '')} {robot.get('subclass', '')}"
    yield ""
    yield f"`amigobot verify`, profile {report.profile}, {report.created}:"
    yield f"{len(report.done)} of {len(steps)} steps in {report.minutes:.1f} min. Every figure is compared with the"
    yield "simulator of this profile under the same commands:"
    yield f"{', '.join(f'{report.count(kind)} {kind}' for kind in (AS_SIMULATED, DIFFERS, UNKNOWN))}."
    texts = {step.name: step for step in steps}
    for result in report.steps:
        how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}: {result.reason}"
        step = texts.get(result.name)
        errata = f" Settles {', '.join(step.errata)}." if step and step.errata and result.status == DONE else ""
        yield f"\n## {result.title}\n\n{step.tell if step else ''}{errata} ({how})\n"
        items = [item for item in report.figures if item.figure.step == result.name]
        if items:
            yield _HEAD
        for item in items:
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row(item)) + " |"


def shown(value: Value, unit: str = "", uncertainty: float = 0.0) -> str:
    """Return a finding as text, a quantity with its uncertainty to two digits."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if not uncertainty:
        return f"{value:.4g} {unit}".rstrip()
    digits = max(0, 1 - int(f"{uncertainty:e}".partition("e")[2]))
    if digits > 4:
        return f"{value:.5g} ± {uncertainty:.1g} {unit}".rstrip()
    return f"{value:.{digits}f} ± {uncertainty:.{digits}f} {unit}".rstrip()


def row(item: Compared) -> tuple[str, str, str, str]:
    """Return title, value at the robot, value at the simulator and verdict of a finding."""
    figure = item.figure
    robot = shown(figure.value, figure.unit, figure.uncertainty)
    return figure.title, robot, shown(item.expected, figure.unit, item.expected_uncertainty), item.verdict
