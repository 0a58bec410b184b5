# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Runs the steps: explains, asks, measures, and leaves a robot at rest on every exit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from amigobot_driver import AmigoBotError, PortError

from .client import Stopped
from .owner import Action, Owner, Request
from .step import Place, Step
from .trial import StepFailed, Trial

DONE, SKIPPED, STOPPED, FAILED = "done", "skipped", "stopped", "failed"

_LIFT = "Put the robot on a block, so that its wheels are off the floor and nothing touches them."


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went."""

    name: str
    title: str
    status: str  #: done, skipped, stopped or failed
    reason: str  #: why it is not done
    seconds: float
    commands: tuple[str, ...]  #: what was sent


class Runner:
    """Runs steps with one robot.

    Args:
        trial: The robot, and what was found.
        report: Called after each step, so that nothing is lost if the program ends.
    """

    def __init__(self, trial: Trial, report: Callable[[StepResult], None] = lambda result: None) -> None:
        self._trial = trial
        self._report = report
        self._place = Place.ANYWHERE
        self._refused: set[Place] = set()

    def run(self, steps: Sequence[Step], skip: Collection[str] = ()) -> list[StepResult]:
        """Run the steps in order.

        Args:
            steps: The steps.
            skip: Names of steps that are not done.

        Returns:
            How each went. It ends early if the owner ends it.
        """
        results = []
        for step in steps:
            result, go_on = self._run(step, step.name in skip)
            results.append(result)
            self._report(result)
            if not go_on:
                break
        return results

    def _run(self, step: Step, skip: bool) -> tuple[StepResult, bool]:
        trial, owner = self._trial, self._trial.owner
        while True:
            trial.step = step.name
            began, first = trial.client.now(), len(trial.client.commands)

            def result(status: str, reason: str = "", began: float = began, first: int = first) -> StepResult:
                commands = tuple(trial.client.commands[first:])
                return StepResult(step.name, step.title, status, reason, trial.client.now() - began, commands)

            if trial.client.is_erratic and step.not_erratic:
                return result(SKIPPED, f"not possible on this robot, because {step.not_erratic}"), True
            if skip:
                return result(SKIPPED, "left out by an option"), True
            if not self._go_to(step.place, owner):
                return result(SKIPPED, f"needs {step.place.value}"), True
            try:
                if not owner.explain(step.title, step.explanation, step.moves):
                    return result(SKIPPED, "the owner skipped it"), True
                step.run(trial)
            except Stopped:
                trial.client.halt()
                choice = owner.after_stop()
                if choice == "repeat":
                    continue
                return result(STOPPED, "the owner stopped it"), choice != "end"
            except StepFailed as error:
                trial.client.halt()
                owner.tell(str(error))
                return result(FAILED, str(error)), True
            except (ArithmeticError, LookupError, ValueError) as error:
                trial.client.halt()
                reason = f"the packets do not allow this measurement ({type(error).__name__}: {error})"
                owner.tell(reason)
                return result(FAILED, reason), True
            except AmigoBotError as error:
                with contextlib.suppress(PortError):
                    trial.client.halt()
                return result(FAILED, str(error)), self._recovered(owner, error)
            if any(figure.step == step.name for figure in trial.figures.values()):
                return result(DONE), True
            return result(SKIPPED, "the owner could not help with it"), True

    def _go_to(self, place: Place, owner: Owner) -> bool:
        """Have the robot brought to where the step needs it; ask once for each place."""
        if place in self._refused:
            return False
        lift = place is Place.LIFTED and self._place is not Place.LIFTED
        if lift and not owner.do(Request(Action.LIFT, _LIFT)):
            self._refused.add(place)
            return False
        self._place = place if place is not Place.ANYWHERE else self._place
        return True

    def _recovered(self, owner: Owner, error: AmigoBotError) -> bool:
        """Connect again after the robot was lost; whether that worked."""
        owner.tell(f"{error}; connecting again")
        client = self._trial.client
        client.opened = False
        try:
            if isinstance(error, PortError):
                client.line.reopen()
            client.connect()
            client.open()
        except AmigoBotError as end:
            owner.tell(str(end))
            return False
        return True
