# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page report.html: one file with everything in it. page.html is its template."""

from __future__ import annotations

import io
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

from .report import Report
from .runner import DONE, StepResult
from .table import table
from .trial import Series, Value
from .verdict import AS_SIMULATED, DIFFERS, UNKNOWN, Compared

_CLASSES = {AS_SIMULATED: "same", DIFFERS: "differs", UNKNOWN: "unknown"}  # of the style sheet
_SIZE = (4.6, 2.7)  # inches of a plot
_ROBOT, _SIMULATOR = "#1565c0", "#9e9e9e"


def as_html(report: Report) -> str:
    """Return the page."""
    steps, robot = table().steps, report.robot
    cards = [f"<div class='card {css}'><b>{report.count(kind)}</b>{kind}</div>" for kind, css in _CLASSES.items()]
    plots = [_plot(one, report.expected_series.get(key)) for key, one in report.series.items() if len(one.points) > 1]
    different = [item for item in report.figures if item.verdict == DIFFERS]
    texts = {step.name: step.tell for step in steps}
    return Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{robot.get('name', '')}, {robot.get('class', '')} {robot.get('subclass', '')}"),
        name=escape(robot.get("name", "")),
        profile=escape(report.profile),
        created=escape(report.created),
        done=len(report.done),
        total=len(steps),
        minutes=f"{report.minutes:.1f}",
        cards="".join(cards),
        differences=_figures(different) if different else "<p>None.</p>",
        learned=_table("Parameter", "Value", rows=_learned(report)),
        plots="\n".join(plots),
        steps="\n".join(_step(report, result, texts.get(result.name, "")) for result in report.steps),
        errata=_table("Erratum", "Step, or why there is none", rows=_errata(report)),
    )


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


def _table(*titles: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table; the cells are HTML, the last one of a row may have a class of its own."""
    lines = ["<table><tr>" + "".join(f"<th>{title}" for title in titles) + "</tr>"]
    lines += [
        "<tr>" + "".join(cell if cell.startswith("<td") else f"<td>{cell}" for cell in row) + "</tr>" for row in rows
    ]
    return "\n".join([*lines, "</table>"])


def _figures(items: Iterable[Compared]) -> str:
    rows = []
    for item in items:
        title, robot, expected, verdict = map(escape, row(item))
        name = f"{title}<br><code class='note'>{escape(item.figure.key)}</code>"
        numbers = (f"<td class='number'>{text}" for text in (robot, expected))
        rows.append((name, *numbers, f"<td class='{_CLASSES[item.verdict]}'>{verdict}"))
    return _table("Figure", "Robot", "Simulator", "Verdict", rows=rows)


def _learned(report: Report) -> list[tuple[str, str]]:
    """What the simulator takes from the report."""
    parts = {**report.simulator.get("profile", {}), **{part: report.simulator.get(part) for part in ("wear", "sonar")}}
    return [
        (f"<code>{escape(f'{part}.{name}')}</code>", f"{value:.5g}" if isinstance(value, float) else escape(str(value)))
        for part, values in parts.items()
        if isinstance(values, dict)
        for name, value in values.items()
    ]


def _step(report: Report, result: StepResult, text: str) -> str:
    how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}: {result.reason}"
    items = [item for item in report.figures if item.figure.step == result.name]
    opened = " open" if any(item.verdict == DIFFERS for item in items) else ""
    commands = (
        f"<p class='note'>Commands:</p><pre>{escape(', '.join(result.commands))}</pre>" if result.commands else ""
    )
    return (
        f"<details{opened}><summary>{escape(result.title)} <span class='note'>({escape(how)})</span></summary>"
        f"<p>{escape(text)}</p>{_figures(items) if items else ''}{commands}</details>"
    )


def _errata(report: Report) -> list[tuple[str, str]]:
    """Which contradictions of the manuals this run settles."""
    answers = {erratum: escape(why) for erratum, why in table().no_step.items()}
    for step in table().steps:
        state = "" if step.name in report.done else " (not done in this run)"
        answers |= dict.fromkeys(step.errata, escape(step.title) + state)
    return sorted(answers.items())


def _plot(series: Series, expected: Series | None) -> str:
    """Return the points of the robot, and of the simulator under the same commands, as an SVG element."""
    # Imported here: `--compare` and `--help` need no matplotlib.
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": series.title, "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        if expected is not None:
            axes.plot(*zip(*expected.points, strict=True), "-", color=_SIMULATOR, linewidth=3, label="simulator")
        axes.plot(*zip(*series.points, strict=True), "-", color=_ROBOT, linewidth=0.8, label="robot")
        axes.set(title=series.title, xlabel=series.x_label, ylabel=series.y_label)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue().partition("<svg")[2].join(("<svg", ""))
