# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What breaks the rule of a check behind the machine's back: shows that each check of an oracle can fail.

Those for the core and the node alike are here; `test_state_machine_checks.py` and `test_node_state_machine_checks.py`
have those of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from amigobot_driver.protocol import Command
from amigobot_driver.robot import Outcome

from . import oracle
from .check import Check, Violation
from .records import Movement
from .world import World

#: Acts, lets time pass, and shows the check what was seen; the world is the one of the core or of the node.
Tamper = Callable[[Any, Any], None]
T = TypeVar("T", bound=Tamper)


class Tampers:
    """The check that notices each tamper."""

    def __init__(self) -> None:
        self.pairs: list[tuple[type[Check], Tamper]] = []

    def breaks(self, *checks: type[Check]) -> Callable[[T], T]:
        """Register a function as one that breaks the rule of these checks."""

        def register(tamper: T) -> T:
            self.pairs += [(check, tamper) for check in checks]
            return tamper

        return register

    def including(self, others: Tampers) -> Tampers:
        """These, and others."""
        both = Tampers()
        both.pairs = self.pairs + others.pairs
        return both

    @property
    def ids(self) -> list[str]:
        """A name for each pair."""
        return [f"{check.__name__}-{tamper.__name__}" for check, tamper in self.pairs]

    def checks(self) -> set[type[Check]]:
        """The checks that are shown to fail."""
        return {check for check, _ in self.pairs}


def watch(world: World, check: Check, seconds: float) -> None:
    """Let time pass; the check looks at all of it."""
    for seen in world.advance(seconds):
        check.look(world, seen)


def show_reports(world: World, check: Check, change: Callable[..., object]) -> None:
    """Let the check look at changed reports."""
    for seen in world.advance(10.0):
        seen.sightings = [replace(sighting, report=change(sighting.report)) for sighting in seen.sightings]
        check.look(world, seen)


def show_that_it_is_noticed(world: World, kind: type[Check], tamper: Tamper) -> None:
    """Fail unless the check accepts what happens before the tamper, and notices the tamper."""
    check = kind()
    watch(world, check, 0.5)
    with pytest.raises(Violation, match=f"^{kind.__name__}: "):
        tamper(world, check)


COMMON = Tampers()


@COMMON.breaks(oracle.MovesOnlyAsAllowed, oracle.StaysAtRest)
def drive_unasked(world: World, check: Check) -> None:
    for _ in range(100):
        world.bench.ask(lambda: world.robot.drive(0.4, 0.0, world.now))
        watch(world, check, 0.1)


@COMMON.breaks(oracle.DrivesAsCommanded)
def expect_another_velocity(world: World, check: oracle.DrivesAsCommanded) -> None:
    check.driven(world, 0.0, 0.0)
    check.driven(world, 0.3, 0.0)


@COMMON.breaks(oracle.MovementsArrive)
def end_a_move_at_once(world: World, check: Check) -> None:
    movement = world.move(0.5)
    assert isinstance(movement, Movement)
    movement.task.ended.set_result(Outcome(True, "reached, 0.000 m off"))
    try:
        watch(world, check, 0.1)
    finally:
        world.stop()


@COMMON.breaks(oracle.OdometryFollows)
def set_the_pose_unasked(world: World, check: Check) -> None:
    world.robot.set_odometry(1.0, 0.0, 0.0)
    watch(world, check, 2.0)


@COMMON.breaks(oracle.TwistIsTrue)
def show_another_twist(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, odometry=replace(report.odometry, angular=3.0)))


@COMMON.breaks(oracle.StampsAreTrue)
def show_older_stamps(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, stamp=report.stamp - 5.0))


@COMMON.breaks(oracle.RequestsAreAnswered)
def ask_and_never_answer(world: World, check: Check) -> None:
    asked = world.request("motors", "enable_motors(True)", Future, bound=-1000.0)
    try:
        watch(world, check, 0.5)
    finally:
        world.requests.remove(asked)


@COMMON.breaks(oracle.AnswersAreTrue)
def answer_what_is_not_so(world: World, check: Check) -> None:
    done: Future[Outcome] = Future()
    done.set_result(Outcome(True, "the motors are on"))
    world.request("motors", "enable_motors(True)", lambda: done, lambda outcome: "success, but they are off")
    watch(world, check, 2 * world.reaction + 2.0)


@COMMON.breaks(oracle.UntouchedValuesStay)
def change_a_working_value_unasked(world: World, check: Check) -> None:
    world.robot.send_raw(Command.ROTKP.number, [77], b"")
    watch(world, check, 5.0)
