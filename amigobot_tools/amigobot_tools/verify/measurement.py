# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One run with a robot: connects, runs the steps, and writes report and recording into a folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from amigobot_driver import Profile
from amigobot_driver.cli import UsageError
from amigobot_driver.packet_file import Head, write_head, write_record
from amigobot_driver.profiles import choose_profile, load_profile

from .client import Client
from .report import RECORDING, Report
from .table import all_steps, steps_of
from .trial import DONE, Person, StepResult, Trial


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does."""

    folder: Path  #: of the report
    port: str  #: for report and recording
    robot: str = ""  #: profile, or a file; "": by the identity of the robot
    only: Collection[str] = ()  #: names of the steps; (): all
    skip: Collection[str] = ()
    earlier: Report | None = None  #: the report that is resumed


def measure(plan: Plan, client: Client, person: Person, say: Callable[[str], None]) -> Report:
    """Run the steps that are left, and save after each; on every exit the robot is stopped and its session closed.

    Args:
        plan: What is done.
        client: Not connected yet.
        person: Who is at the robot.
        say: Called with a line for each step.

    Returns:
        The report, which is not compared with the simulator yet.

    Raises:
        StoppedError: The person has ended it.
        UsageError: A file cannot be written.
        AmigoBotError: There is no robot.
    """
    try:
        profile = load_profile(plan.robot) if plan.robot else None
        if profile is not None:
            client.set_profile(profile)
        identity = client.connect()
        robot = {"name": identity.name, "class": identity.robot_class, "subclass": identity.subclass}
        reason = "as asked for"
        if profile is None:
            profile, reason = choose_profile(identity.robot_class, identity.subclass)
            client.set_profile(profile)
        say(f"{identity.name}: profile {profile.name}, {reason}")
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        report = plan.earlier or Report(created, plan.port, robot, plan.robot or profile.name)
        with _recording(plan, client, profile, robot):
            _run(plan, Trial(client, person, profile, config=client.config()), report, say)
        return report
    finally:
        client.end()


def _run(plan: Plan, trial: Trial, report: Report, say: Callable[[str], None]) -> None:
    trial.figures = {figure.key: figure for figure in report.figures}
    results = {result.name: result for result in report.steps}

    def save(result: StepResult) -> None:
        results[result.name] = result
        report.steps = [results[step.name] for step in all_steps() if step.name in results]
        report.figures = list(trial.figures.values())
        if trial.config is not None:
            report.config = trial.config.encode().hex()
        report.save(plan.folder)
        how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}, {result.reason}"
        say(f"{result.title}: {how}")

    left = [step for step in steps_of(trial.profile) if step.name not in report.done]
    trial.run([step for step in left if not plan.only or step.name in plan.only], plan.skip, save)


@contextlib.contextmanager
def _recording(plan: Plan, client: Client, profile: Profile, robot: dict[str, str]) -> Iterator[None]:
    """Write what the client sends and receives to the next recording of the folder."""
    path, number = plan.folder / RECORDING, 1
    while plan.earlier and path.exists():
        number += 1
        path = plan.folder / f"{Path(RECORDING).stem}-{number}{Path(RECORDING).suffix}"
    try:
        with path.open("wb", buffering=0) as file:
            names = robot["name"], robot["class"], robot["subclass"]
            write_head(file, Head(time.time(), plan.port, *names, profile.name, profile.erratic))
            client.on_record = partial(write_record, file)
            try:
                yield
            finally:
                client.halt()
                client.on_record = lambda record: None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
