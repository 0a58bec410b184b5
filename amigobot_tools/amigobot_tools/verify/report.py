# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file report.json (docs/how-to/verify.md has its schema)."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amigobot_driver.cli import UsageError
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import ACTIVMEDIA_PACKETS, ERRATIC_PACKETS, Parameters, parse
from amigobot_driver.sim import REPORT_FORMAT, REPORT_VERSION

from .runner import DONE, StepResult
from .trial import Figure
from .verdict import Compared, compare, expected, simulator_section

REPORT, PAGE, RECORDING = "report.json", "report.md", "packets.amigo"

_POINTS = "series", "expected_series"  # points of plots, in reports of earlier versions
_COMPARISON = "expected", "expected_uncertainty", "verdict"


@dataclass(slots=True)
class Report:
    """Everything that one run has found."""

    created: str  #: UTC
    port: str
    robot: dict[str, str]  #: name, class, subclass
    profile: str  #: name of the profile, or a file
    config: str = ""  #: CONFIGpac, its data as hexadecimal digits; "" if it was not read
    steps: list[StepResult] = field(default_factory=list)
    figures: list[Compared] = field(default_factory=list)
    simulator: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> set[str]:
        """Names of the steps that are done."""
        return {step.name for step in self.steps if step.status == DONE}

    @property
    def minutes(self) -> float:
        """How long the steps took, min."""
        return sum(step.seconds for step in self.steps) / 60

    def count(self, verdict: str) -> int:
        """Return the number of findings with a verdict."""
        return sum(item.verdict == verdict for item in self.figures)

    def compare(self) -> None:
        """Compare all findings with the simulator, under the same commands.

        Raises:
            ProfileError: The profile of the report does not exist here.
        """
        profile = load_profile(self.profile)
        packet = parse(bytes.fromhex(self.config), ERRATIC_PACKETS if profile.erratic else ACTIVMEDIA_PACKETS)
        config = packet if isinstance(packet, Parameters) else None
        figures = expected(profile, config, self.done)
        self.figures = compare([item.figure for item in self.figures], figures)
        self.simulator = simulator_section(profile, config, self.figures)


def write_text(path: Path, text: str) -> None:
    """Write a file; a reader never sees half of it.

    Raises:
        UsageError: It cannot be written.
    """
    part = path.with_suffix(".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None


def as_json(report: Report) -> str:
    """Return JSON with one line for each key, step and figure: short, and good to compare."""
    content = {"format": REPORT_FORMAT, "version": REPORT_VERSION, **dataclasses.asdict(report)}
    content["figures"] = [{**item.pop("figure"), **item} for item in content["figures"]]
    lines = []
    for key, value in content.items():
        rows = [json.dumps(item) for item in value] if isinstance(value, list) else []
        text = "[\n" + ",\n".join(rows) + "\n]" if rows else json.dumps(value)
        lines.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(path: Path) -> Report:
    """Read report.json.

    Raises:
        UsageError: It cannot be read, or is not a report of a known version.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise UsageError(f"{path}: this is not JSON ({error})") from None
    if not isinstance(content, dict) or content.pop("format", None) != REPORT_FORMAT:
        raise UsageError(f"{path}: this is not a report of `amigobot verify`")
    if (version := content.pop("version", None)) != REPORT_VERSION:
        raise UsageError(f"{path}: version is {version!r:.60}, allowed: {REPORT_VERSION}; repeat `amigobot verify`")
    try:
        content["steps"] = [StepResult(**{**step, "commands": tuple(step["commands"])}) for step in content["steps"]]
        content["figures"] = [_compared(item) for item in content["figures"]]
        for key in _POINTS:
            content.pop(key, None)
        return Report(**content)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UsageError(f"{path}: the report is damaged ({type(error).__name__}: {error})") from None


def _compared(item: dict[str, Any]) -> Compared:
    comparison = [item.pop(key) for key in _COMPARISON]
    return Compared(Figure(**item), *comparison)
