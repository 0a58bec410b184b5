# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page report.html: one file with everything in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from amigobot_driver.cli import UsageError

from . import plots
from .comparison import AS_SIMULATED, DIFFERS, UNKNOWN, Compared
from .errata import WITHOUT_STEP
from .figures import Value
from .report import RECORDING, Report
from .runner import DONE
from .table import STEPS

_CLASSES = {AS_SIMULATED: "same", DIFFERS: "differs", UNKNOWN: "unknown"}
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 62rem; padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.2rem; margin-top: 2rem }
.cards { display: flex; gap: 1rem; flex-wrap: wrap; margin: 1.2rem 0 }
.card { border-radius: .5rem; padding: .6rem 1.2rem; background: #f3f4f6; min-width: 8rem }
.card b { display: block; font-size: 1.7rem }
.card.same { background: #e3f4e6 } .card.differs { background: #fde3d8 } .card.unknown { background: #eceff3 }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600 }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e3e5e8; vertical-align: top }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap }
td.same { color: #1b7a33 } td.differs { color: #b3340a; font-weight: 600 } td.unknown { color: #68707a }
code, pre { font-family: ui-monospace, monospace; font-size: .86em }
pre { background: #f3f4f6; padding: .8rem; white-space: pre-wrap }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(26rem, 1fr)); gap: .5rem }
.plots svg { width: 100%; height: auto } .note { color: #555 } summary { cursor: pointer; font-weight: 600 }
"""


def write(report: Report, path: Path) -> None:
    """Write report.html.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        path.write_text("\n".join(_page(report)) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None


def shown(value: Value, unit: str = "", uncertainty: float = 0.0) -> str:
    """Return a finding as text, a quantity with its uncertainty."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if not uncertainty:
        return f"{value:.4g} {unit}".rstrip()
    # So many digits that the uncertainty has two.
    digits = max(0, 1 - _exponent(uncertainty))
    if digits > 4:
        return f"{value:.5g} ± {uncertainty:.1g} {unit}".rstrip()
    return f"{value:.{digits}f} ± {uncertainty:.{digits}f} {unit}".rstrip()


def _exponent(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def _page(report: Report) -> Iterator[str]:
    robot = report.robot
    title = f"{robot.get('name', '')} ({robot.get('subclass', '')}): amigobot verify"
    yield f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
    yield f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head><body>"
    yield f"<h1>Hardware acceptance test: {escape(robot.get('name', ''))}</h1>"
    done = len(report.done)
    yield (
        f"<p class='note'>{escape(robot.get('class', ''))} {escape(robot.get('subclass', ''))}, profile "
        f"{escape(report.profile)}, {report.created}; {done} of {len(STEPS)} steps in {report.minutes:.1f} min. Every "
        "figure is compared with the simulator of this profile under the same commands; the simulator has the "
        "settings of this robot's CONFIG.</p>"
    )
    yield "<div class='cards'>"
    for verdict, name in _CLASSES.items():
        yield f"<div class='card {name}'><b>{report.count(verdict)}</b>{verdict}</div>"
    yield "</div>"
    differences = [item for item in report.figures if item.verdict == DIFFERS]
    yield "<h2>Differences</h2>"
    yield from _table(differences) if differences else ["<p>None.</p>"]
    yield from _learned(report)
    yield "<h2>Plots</h2><div class='plots'>"
    for key, series in report.series.items():
        if len(series.points) > 1:
            yield plots.draw(series, report.expected_series.get(key))
    yield "</div>"
    yield from _steps(report)
    yield from _errata(report)
    yield f"<p class='note'>Every packet of this run: <code>amigobot dump {RECORDING}</code></p>"
    yield "</body></html>"


def _table(items: Iterable[Compared]) -> Iterator[str]:
    yield "<table><tr><th>Figure<th>Robot<th>Simulator<th>Verdict</tr>"
    for item in items:
        figure = item.figure
        robot = shown(figure.value, figure.unit, figure.uncertainty)
        expected = shown(item.expected, figure.unit, item.expected_uncertainty)
        verdict = f"<td class='{_CLASSES[item.verdict]}'>{item.verdict}"
        yield (
            f"<tr><td>{escape(figure.title)}<br><code class='note'>{escape(figure.key)}</code>"
            f"<td class='number'>{escape(robot)}<td class='number'>{escape(expected)}{verdict}</tr>"
        )
    yield "</table>"


def _learned(report: Report) -> Iterator[str]:
    """What the simulator takes from the report."""
    changes = report.simulator.get("profile", {})
    parts = {**changes, "wear": report.simulator.get("wear"), "sonar model": report.simulator.get("sonar")}
    rows = [
        (f"{part}.{name}", value)
        for part, values in parts.items()
        if isinstance(values, dict)
        for name, value in values.items()
    ]
    yield "<h2>What the simulator learns</h2>"
    yield "<p><code>amigobot sim --from-report report.json --tcp 8101</code> is a robot with these values:</p>"
    if not rows:
        yield "<p>Those of the profile: nothing differs.</p>"
        return
    yield "<table><tr><th>Parameter<th>Value</tr>"
    for name, value in rows:
        text = f"{value:.5g}" if isinstance(value, float) else str(value)
        yield f"<tr><td><code>{escape(name)}</code><td class='number'>{escape(text)}</tr>"
    yield "</table>"


def _steps(report: Report) -> Iterator[str]:
    yield "<h2>Steps</h2>"
    explanations = {step.name: step.explanation for step in STEPS}
    for result in report.steps:
        how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}: {result.reason}"
        items = [item for item in report.figures if item.figure.step == result.name]
        opened = " open" if any(item.verdict == DIFFERS for item in items) else ""
        yield f"<details{opened}><summary>{escape(result.title)} <span class='note'>({escape(how)})</span></summary>"
        yield f"<p>{escape(explanations.get(result.name, ''))}</p>"
        if items:
            yield from _table(items)
        if result.commands:
            yield f"<p class='note'>Commands:</p><pre>{escape(', '.join(result.commands))}</pre>"
        yield "</details>"


def _errata(report: Report) -> Iterator[str]:
    """Which contradictions of the manuals this run settles."""
    yield "<h2>Contradictions of the manuals</h2>"
    yield "<p>docs/protocol.md, section 7, has the contradictions; the steps have the robot's answers.</p>"
    yield "<table><tr><th>Erratum<th>Step, or why there is none</tr>"
    settled = {erratum: step for step in STEPS for erratum in step.errata}
    for erratum in sorted({*settled, *WITHOUT_STEP}):
        if step := settled.get(erratum):
            state = "" if step.name in report.done else " (not done in this run)"
            yield f"<tr><td>{erratum}<td>{escape(step.title)}{state}</tr>"
        else:
            yield f"<tr><td>{erratum}<td class='note'>{escape(WITHOUT_STEP[erratum])}</tr>"
    yield "</table>"
