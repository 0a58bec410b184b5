# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a run with a robot has found: report.json, and its page report.md."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from amigobot_driver.cli import UsageError
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import TuningValues, packets_of, parse
from amigobot_driver.sim import REPORT_FORMAT, REPORT_VERSION, read_report
from amigobot_driver.wording import shown, wrong_type

from ..person import StoppedError
from .step_data import Figure, KnownRobot, Value
from .step_table import has_figure, row_of, steps, steps_of
from .trial import DONE, FAILED, SKIPPED, StepResult
from .verdict import AS_SIMULATED, DIFFERS, UNKNOWN, compare, expected, simulator_section

REPORT, PAGE = "report.json", "report.md"


@dataclass(slots=True)
class VerifyReport:
    """Everything that one run has found."""

    created: str  #: UTC
    port: str
    robot: dict[str, str]  #: name, class, subclass
    profile: str  #: name of the profile, or a file
    config: str = ""  #: CONFIGpac, its data as hexadecimal digits; "" if it was not read
    steps: list[StepResult] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    simulator: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> set[str]:
        """Names of the steps that are done."""
        return {step.name for step in self.steps if step.status == DONE}

    @property
    def summary(self) -> str:
        """How many figures have which verdict."""
        count = Counter(figure.verdict for figure in self.figures)
        return f"{count[AS_SIMULATED]} as simulated, {count[DIFFERS]} different, {count[UNKNOWN]} unknown"

    def add(self, result: StepResult, robot: KnownRobot) -> None:
        """Take how a step went, and what is known after it."""
        results = {**{step.name: step for step in self.steps}, result.name: result}
        self.steps = [results[name] for name in steps() if name in results]
        self.figures = list(robot.figures.values())
        self.config = robot.config.encode().hex() if robot.config else self.config

    @property
    def differences(self) -> list[Figure]:
        """What differs from the simulator."""
        return [figure for figure in self.figures if figure.verdict == DIFFERS]

    def finish(self, folder: Path, stopped: Callable[[], bool] = lambda: False) -> None:
        """Compare all findings with the simulator, and write report.json and report.md: every figure, for a person.

        Args:
            folder: Of the report.
            stopped: Whether to leave out the comparison; asked all the time.
        """
        with contextlib.suppress(StoppedError):
            self.compare(stopped)
        self.save(folder)
        _write_text(folder / PAGE, "\n".join(_page(self)) + "\n")

    def compare(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Compare all findings with the simulator, under the same commands.

        Args:
            stopped: Whether to end that; asked all the time.

        Raises:
            StoppedError: It was ended, and changes nothing.
            ProfileError: The profile of the report does not exist here.
        """
        profile = load_profile(self.profile)
        packet = parse(bytes.fromhex(self.config), packets_of(profile.erratic))
        config = packet if isinstance(packet, TuningValues) else None
        self.figures = compare(self.figures, expected(profile, config, self.done, stopped))
        self.simulator = simulator_section(profile, config, self.figures)

    def save(self, folder: Path) -> None:
        """Write report.json."""
        content = {"format": REPORT_FORMAT, "version": REPORT_VERSION, **dataclasses.asdict(self)}
        _write_text(folder / REPORT, json.dumps(content, indent=1) + "\n")


def _write_text(path: Path, text: str) -> None:
    """Write a file; a reader never sees half of it."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def load(path: Path) -> VerifyReport:
    """Read report.json, without the steps and figures of another version that this one does not have.

    Raises:
        UsageError: It cannot be read, or is not a report of a known version.
    """
    content = read_report(str(path))
    try:
        content["steps"] = [StepResult(**step) for step in content["steps"] if step["name"] in steps()]
        content["figures"] = [Figure(**item) for item in content["figures"] if has_figure(item["step"], item["key"])]
        report = VerifyReport(**content)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: the report is damaged ({type(error).__name__}: {error})") from None
    for damage in _damages(report):
        raise UsageError(f"{path}: the report is damaged ({damage})")
    return report


def _damages(report: VerifyReport) -> Iterator[str]:
    """Yield the values that `verify` does not write."""
    if not isinstance(report.profile, str):
        yield wrong_type("profile", report.profile, "a text")
    if not isinstance(report.config, str) or not re.fullmatch("([0-9a-f]{2})*", report.config):
        yield wrong_type("config", report.config, "hexadecimal digits")
    for step in report.steps:
        if step.status not in (DONE, SKIPPED, FAILED):
            yield wrong_type(f"{step.name}: status", step.status, "done, skipped or failed")
    named = [*((step.name, step) for step in report.steps), *((figure.key, figure) for figure in report.figures)]
    for label, item in named:
        for name, kind in get_type_hints(type(item)).items():
            value = getattr(item, name)
            if not isinstance(value, kind) or (isinstance(value, float) and not math.isfinite(value)):
                yield f"{label}: {name} is {shown(value)}"


def _page(report: VerifyReport) -> Iterator[str]:
    possible = steps_of(load_profile(report.profile))
    yield "# {name}: {class} {subclass}".format_map(report.robot)
    yield f"\n`amigobot verify`, profile {report.profile}, {report.created}:"
    yield f"{len(report.done)} of {len(possible)} steps. Every figure is compared with the"
    yield f"simulator of this profile under the same commands:\n{report.summary}."
    for result in report.steps:
        step = steps()[result.name]
        errata = f" Settles {', '.join(step.errata)}." if step.errata and result.status == DONE else ""
        yield f"\n## {result.title}\n\n{step.tell}{errata} ({result.outcome})\n"
        rows = [figure_row(figure) for figure in report.figures if figure.step == result.name]
        if rows:
            yield "| Figure | Robot | Simulator | Verdict |\n|---|---|---|---|"
        for row in rows:
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def figure_row(figure: Figure) -> tuple[str, str, str, str]:
    """Return title, value at the robot, value at the simulator and verdict of a finding."""
    row = row_of(figure.key)
    robot = _shown(figure.value, row.unit, figure.uncertainty)
    return row.title, robot, _shown(figure.expected, row.unit, figure.expected_uncertainty), figure.verdict


def _shown(value: Value, unit: str, uncertainty: float) -> str:
    """A finding as text, a quantity with its uncertainty to two digits."""
    if not isinstance(value, float):
        return value or "-"
    if not uncertainty:
        return f"{value:.4g} {unit}".rstrip()
    digits = max(0, 1 - int(f"{uncertainty:e}".partition("e")[2]))
    if digits > 4:
        return f"{value:.5g} ± {uncertainty:.1g} {unit}".rstrip()
    return f"{value:.{digits}f} ± {uncertainty:.{digits}f} {unit}".rstrip()
