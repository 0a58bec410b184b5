# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One run of the steps with one robot: runs step after step, and keeps what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from amigobot_driver import AmigoBotError, Profile
from amigobot_driver.doctor import Finding, Severity
from amigobot_driver.protocol import Command, Sip, SipSonarReading, TuningValues

from ..person import Person
from .client import Client, Stamped
from .script import Phase, Script, StepError
from .table import Step, row_of

Value = float | str | None

DONE, SKIPPED, FAILED = "done", "skipped", "failed"

#: What a robot whose values make no sense may cause in a measurement.
_NONSENSE = ArithmeticError, AttributeError, LookupError, TypeError, ValueError


@dataclass(frozen=True, slots=True)
class Figure:
    """One finding: a number is a quantity, a text a fact; None was asked for and not found."""

    key: str  #: "motor.top_speed": steps.yaml has its title and unit, and how it is compared
    step: str  #: name of the step
    value: Value
    uncertainty: float = 0.0  #: standard uncertainty, in the unit
    expected: Value = None  #: what the simulator shows; None: nothing to compare with
    expected_uncertainty: float = 0.0
    verdict: str = "unknown"  #: "as simulated", "differs" or "unknown"


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went."""

    name: str
    title: str
    status: str  #: done, skipped or failed
    reason: str  #: why it is not done
    seconds: float

    @property
    def finding(self) -> Finding:
        """The same for the doctor's terminal."""
        severity = {DONE: Severity.OK, SKIPPED: Severity.NOTE, FAILED: Severity.ERROR}[self.status]
        how = f"{self.seconds:.0f} s" if self.status == DONE else f"{self.status}: {self.reason}"
        return Finding(self.name, severity, f"{self.title}, {how}")


@dataclass(slots=True)
class Trial:
    """One run of the steps with one robot."""

    client: Client
    person: Person
    profile: Profile  #: nominal dimensions and units
    patience: int = 1  #: how many times longer than with a real robot to collect random quantities
    config: TuningValues | None = None
    step: Step | None = None  #: the one that runs
    figures: dict[str, Figure] = field(default_factory=dict)
    phases: dict[str, list[Phase]] = field(default_factory=dict)  #: of the step, by name
    answers: dict[str, Any] = field(default_factory=dict)  #: of the person, by what was asked
    _lifted: bool | None = None  #: None: not asked since the robot stood on the floor

    # -- findings and scales ------------------------------------------------------------------------------------------

    def keep(self, key: str, value: object, error: float = 0.0) -> None:
        """Keep a figure of the step: a float is a quantity (NaN: not found), None not found, all else a fact.

        Args:
            key: Of the figure in steps.yaml; another one is a fact, and its own title.
            value: What was found.
            error: Standard uncertainty from the scatter, in the unit.
        """
        assert self.step is not None
        figure = Figure(key, self.step.name, None)
        if isinstance(value, float) and math.isfinite(value):
            figure = replace(figure, value=value, uncertainty=math.hypot(error, row_of(key).floor * value))
        elif value is not None and not isinstance(value, float):
            figure = replace(figure, value=str(value))
        self.figures[key] = figure

    def phase(self, name: str) -> Phase:
        """Return what came back for a list of the step, the last time."""
        return self.phases[name][-1]

    def found(self, key: str, default: float) -> float:
        """Return a quantity that an earlier step has found, or the nominal one."""
        figure = self.figures.get(key)
        return figure.value if figure is not None and isinstance(figure.value, float) else default

    def configured(self, name: str) -> int:
        """Return a value of the CONFIG packet by its name; 0 if it was not read, or has no such value."""
        return (self.config.value(name) if self.config is not None else None) or 0

    @property
    def nominal_ticks(self) -> float:
        """Encoder ticks per m as CONFIG or the profile has them; NaN: unknown."""
        body = self.profile.body
        return self.configured("ticks_mm") * 1000.0 or body.wheel_ticks / (math.pi * body.wheel_diameter) or math.nan

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per m; NaN: unknown."""
        return self.found("scale.encoder", self.nominal_ticks)

    @property
    def half_track(self) -> float:
        """Meters of wheel travel for each rad of turning, as the firmware computes it."""
        body = self.profile.body
        # The RevCount of an Erratic counts turns of a wheel, and there is no ticks_mm beside it.
        if self.configured("ticks_mm"):
            return body.track_by(self.configured("rev_count"), 1 / self.nominal_ticks) / 2
        return body.track / 2

    @property
    def front_sonars(self) -> list[int]:
        """Numbers of the sonars that look ahead."""
        poses = self.profile.sonar.poses
        flattest = min((abs(pose.heading) for pose in poses), default=0.0)
        return [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]

    def pings(self, packets: Sequence[Stamped]) -> list[tuple[float, SipSonarReading]]:
        """Return the readings of the front sonars, and when (s)."""
        front = self.front_sonars
        sips = [(stamped.time, stamped.packet) for stamped in packets if isinstance(stamped.packet, Sip)]
        return [(time, reading) for time, sip in sips for reading in sip.sonar if reading.number in front]

    # -- step after step ----------------------------------------------------------------------------------------------

    def run(self, steps: Sequence[Step], skip: Collection[str] = ()) -> Iterator[StepResult]:
        """Run steps in order, to the end or until the robot is lost, and yield how each went.

        Args:
            steps: The steps.
            skip: Names of steps that are not done.

        Raises:
            StoppedError: A key was pressed.
        """
        client, lost = self.client, False
        for step in steps:
            self.step = step
            began = client.now()
            try:
                reason = "left out by an option" if step.name in skip else self._attempt(step)
                status = SKIPPED if reason else DONE
            except AmigoBotError as error:
                status, reason, lost = FAILED, str(error), True
            except (StepError, *_NONSENSE) as error:
                client.halt()
                status, reason = FAILED, str(error)
                if not isinstance(error, StepError):
                    reason = f"the packets do not allow this measurement ({type(error).__name__}: {error})"
            yield StepResult(step.name, step.title, status, reason, client.now() - began)
            if lost:
                return

    def _attempt(self, step: Step) -> str:
        """Do a step; return why it is not done, "" if it is."""
        if step.needs and not self.client.dialect.supports(Command[step.needs], self.profile.firmware):
            return f"not possible on this robot, because it has no command {step.needs}"
        if step.sonars and not self.front_sonars:
            return "not possible on this robot, because it has no sonars"
        if step.place == "lifted" and self._lifted is None:
            text = "Put the robot on a block, so that its wheels are off the floor and nothing touches them."
            self._lifted = bool(self.person.ask("do", "LIFT", text))
        elif step.place in ("floor", "wall") and self._lifted:
            self._lifted = None
        if step.place == "lifted" and not self._lifted:
            return "needs wheels off the floor"
        if not self.person.explain(step.title, step.tell, step.moves):
            return "the owner skipped it"
        script = Script(self, step)
        self.phases, self.answers = script.phases, script.answers
        if script.play():
            for key, row in step.figures.items():
                name = row.of or key
                if row.fact == "answer":
                    self.keep(key, {True: "yes", False: "no"}.get(self.answers[name]))
                elif row.fact and name in self.phases:  # the robot has the commands of this list
                    self.keep(key, _function(row.fact)(self.phase(name)))
            if step.measure:
                _function(step.measure)(self)
        found = any(figure.step == step.name for figure in self.figures.values())
        return "" if found else "the owner could not help with it"


def _function(name: str) -> Callable[..., Any]:
    """Return a function of measures/; its module needs this one."""
    module, name = name.split(".")
    function: Callable[..., Any] = getattr(import_module(f"{__package__}.measures.{module}"), name)
    return function
