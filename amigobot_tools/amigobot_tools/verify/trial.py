# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One run of the steps with one robot: runs step after step, and adds what was found to what is known of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from amigobot_driver import AmigoBotError
from amigobot_driver.doctor import Finding, Severity
from amigobot_driver.protocol import Command, TuningValues

from ..person import Person
from .client import Client
from .measures import figures
from .script import Script
from .step_data import KnownRobot, Step, StepError

DONE, SKIPPED, FAILED = "done", "skipped", "failed"

#: What values that make no sense, or packets that are missing, may cause in a measurement.
_NONSENSE = ArithmeticError, IndexError, ValueError


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went."""

    name: str
    title: str
    status: str  #: done, skipped or failed
    reason: str  #: why it is not done
    seconds: float

    @property
    def outcome(self) -> str:
        """How long it took, or why it is not done."""
        return f"{self.seconds:.0f} s" if self.status == DONE else f"{self.status}: {self.reason}"

    @property
    def finding(self) -> Finding:
        """The same for the doctor's terminal."""
        severity = {DONE: Severity.OK, SKIPPED: Severity.NOTE, FAILED: Severity.ERROR}[self.status]
        return Finding(self.name, severity, f"{self.title}, {self.outcome}")


@dataclass(slots=True)
class Trial:
    """One run of the steps with one robot."""

    client: Client
    person: Person
    robot: KnownRobot
    patience: int = 1  #: how many times longer than with a real robot to collect random quantities
    _lifted: bool | None = None  #: None: not asked since the robot stood on the floor

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
        if step.needs and not self.client.dialect.supports(Command[step.needs], self.robot.profile.firmware):
            return f"not possible on this robot, because it has no command {step.needs}"
        if step.sonars and not self.robot.front_sonars:
            return "not possible on this robot, because it has no sonars"
        if step.place == "lifted" and self._lifted is None:
            text = "Put the robot on a block, so that its wheels are off the floor and nothing touches them."
            self._lifted = self.person.do("LIFT", text)
        elif step.place in ("floor", "wall") and self._lifted:
            self._lifted = None
        if step.place == "lifted" and not self._lifted:
            return "needs wheels off the floor"
        if not self.person.explain(step.title, step.tell, step.moves):
            return "the owner skipped it"
        data = Script(self.client, self.person, self.robot, step, self.patience).play()
        if data is None:
            return "the owner could not help with it"
        for figure in figures(data):  # what is found before an error stays
            self.robot.figures[figure.key] = figure
        if step.name == "config":
            self.robot.config = data.phase("config").of(TuningValues)[-1]
        return ""
