# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Runs the steps: explains, asks, measures, and leaves a robot at rest on every exit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib import import_module

from amigobot_driver import AmigoBotError, PortError
from amigobot_driver.protocol import Command

from .client import StoppedError
from .person import Action, AfterStop, Request
from .script import Script
from .table import Place, Step
from .trial import StepError, Trial

DONE, SKIPPED, STOPPED, FAILED = "done", "skipped", "stopped", "failed"

_LIFT = Request(Action.LIFT, "Put the robot on a block, so that its wheels are off the floor and nothing touches them.")
#: What a robot whose values make no sense may cause in a measurement.
_NONSENSE = ArithmeticError, AttributeError, LookupError, TypeError, ValueError


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
        self._trial, self._report = trial, report
        self._lifted: bool | None = None  #: None: not asked since the robot stood on the floor
        self._go_on = True

    def run(self, steps: Sequence[Step], skip: Collection[str] = ()) -> list[StepResult]:
        """Run the steps in order, to the end or until the person ends it.

        Args:
            steps: The steps.
            skip: Names of steps that are not done.
        """
        results: list[StepResult] = []
        client = self._trial.client
        for step in steps:
            if not self._go_on:
                break
            self._trial.step = step
            began, first = client.now(), len(client.commands)
            status, reason = (SKIPPED, "left out by an option") if step.name in skip else self._attempt(step)
            commands = tuple(client.commands[first:])
            results.append(StepResult(step.name, step.title, status, reason, client.now() - began, commands))
            self._report(results[-1])
        return results

    def _attempt(self, step: Step) -> tuple[str, str]:
        """Do a step; return its status, and the reason if it is not done."""
        trial, client, person = self._trial, self._trial.client, self._trial.person
        if why := _impossible(trial, step):
            return SKIPPED, f"not possible on this robot, because {why}"
        try:
            if not self._can_go_to(step.place):
                return SKIPPED, f"needs {step.place.value}"
            if not person.explain(step.title, step.tell, step.moves):
                return SKIPPED, "the owner skipped it"
            played = Script(trial).play()
            if played is not None:
                module, _, name = step.measure.partition(".")
                getattr(import_module(f"{__package__}.measures.{module}"), name)(trial, played)
        except StoppedError:
            client.halt()
            choice = person.after_stop()
            if choice is AfterStop.REPEAT:
                return self._attempt(step)
            self._go_on = choice is not AfterStop.END
            return STOPPED, "the owner stopped it"
        except AmigoBotError as error:
            with contextlib.suppress(PortError):
                client.halt()
            self._go_on = self._recovered(error)
            return FAILED, str(error)
        except (StepError, *_NONSENSE) as error:
            client.halt()
            reason = str(error)
            if not isinstance(error, StepError):
                reason = f"the packets do not allow this measurement ({type(error).__name__}: {error})"
            person.tell(reason)
            return FAILED, reason
        if any(figure.step == step.name for figure in trial.figures.values()):
            return DONE, ""
        return SKIPPED, "the owner could not help with it"

    def _can_go_to(self, place: Place) -> bool:
        """Have the wheels lifted if the step needs it; ask once."""
        if place is Place.LIFTED and self._lifted is None:
            self._lifted = self._trial.person.do(_LIFT)
        elif place in (Place.FLOOR, Place.WALL) and self._lifted:
            self._lifted = None
        return place is not Place.LIFTED or bool(self._lifted)

    def _recovered(self, error: AmigoBotError) -> bool:
        """Connect again after the robot was lost; whether that worked."""
        client, person = self._trial.client, self._trial.person
        person.tell(f"{error}; connecting again")
        try:
            if isinstance(error, PortError):
                client.reopen()
            client.connect()
        except AmigoBotError as end:
            person.tell(str(end))
            return False
        return True


def _impossible(trial: Trial, step: Step) -> str:
    """Return why the robot cannot do a step; "" if it can."""
    if trial.client.is_erratic:
        return step.not_erratic
    known = not step.needs or trial.client.can_send(Command[step.needs], trial.profile.firmware)
    return "" if known else f"its firmware has no command {step.needs}"
