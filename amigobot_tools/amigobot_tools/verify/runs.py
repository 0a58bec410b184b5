# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What `amigobot verify` does: a run with a robot, a comparison of a report, the list of steps."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from amigobot_driver import Profile
from amigobot_driver.cli import UsageError
from amigobot_driver.packet_file import Head, write_head, write_record
from amigobot_driver.profiles import choose_profile, load_profile
from amigobot_driver.signals import TerminatedError
from amigobot_driver.transport import open_port
from amigobot_driver.transport.simulated import simulator_of
from amigobot_driver.wording import counted

from ..keys import TerminalClosedError
from .client import Client, StoppedError
from .report import PAGE, RECORDING, REPORT, Report, figure_row, load
from .simulated import SimulatedLine, SimulatedPerson
from .table import all_steps, steps_of
from .terminal import TerminalPerson
from .trial import DONE, FAILED, Person, StepResult, Trial
from .verdict import DIFFERS

_FIRST_BAUD = 9600


def print_steps() -> None:
    """Print the table of steps."""
    printed = Table("Step", "", "Where", "Errata", box=None)
    for step in all_steps():
        printed.add_row(step.name, step.tell, step.place, ", ".join(step.errata))
    Console().print(printed)


def check_steps(names: Sequence[str]) -> None:
    """Refuse names that are not steps.

    Raises:
        UsageError: A step does not exist.
    """
    known = [step.name for step in all_steps()]
    for name in names:
        if name not in known:
            raise UsageError(f"step {name!r:.60} is not known, allowed: {', '.join(known)}")


def compare_again(path: Path) -> int:
    """Compare a report with the simulator of today, and print what differs."""
    report = load(path)
    report.compare()
    return _print_summary(Console(), report)


def verify(args: argparse.Namespace) -> int:
    """Run the steps with a robot and write the report."""
    console, folder = Console(), args.output
    earlier = _earlier(args)
    try:
        with contextlib.ExitStack() as stack:
            report = _measure(args, console, *_connect(args, console, stack), earlier, stack)
    except StoppedError:
        raise UsageError("ended by a key; the robot was stopped; continue with --resume") from None
    except (TerminalClosedError, TerminatedError) as end:
        raise UsageError(f"{end}; the robot was stopped; continue with --resume") from None
    report.compare()
    report.save(folder)
    report.save_page(folder)
    status = _print_summary(console, report)
    console.print(f"{folder / PAGE}: every figure; {folder / RECORDING}: every packet", markup=False)
    return status


def _earlier(args: argparse.Namespace) -> Report | None:
    """The report that is resumed."""
    path = args.output / REPORT
    if args.resume:
        return load(path)
    if path.exists() and not args.force:
        raise UsageError(f"{path} exists: go on with --resume, overwrite it with --force, or name another --output")
    try:
        args.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{args.output}: cannot be made ({error.strerror})") from None
    return None


def _connect(args: argparse.Namespace, console: Console, stack: contextlib.ExitStack) -> tuple[Client, Person]:
    """Open the port, and find out who answers the questions."""
    if args.port.startswith("sim://"):
        simulator, _ = simulator_of(args.port)
        line = SimulatedLine(simulator)
        return Client(lambda: line, line.now), SimulatedPerson(simulator)
    try:
        person = stack.enter_context(TerminalPerson(console, asks=not args.yes))
    except TerminalClosedError as error:
        raise UsageError(f"{error}; without one, --yes asks nothing") from None
    return Client(partial(open_port, args.port, _FIRST_BAUD), stopped=person.stopped), person


def _measure(
    args: argparse.Namespace,
    console: Console,
    client: Client,
    person: Person,
    earlier: Report | None,
    stack: contextlib.ExitStack,
) -> Report:
    """Run the steps that are left, and save after each; on every exit the robot is stopped and its session closed."""
    stack.callback(client.end)
    profile = load_profile(args.robot) if args.robot else None
    if profile is not None:
        client.set_profile(profile)
    identity = client.connect()
    robot = {"name": identity.name, "class": identity.robot_class, "subclass": identity.subclass}
    reason = "as asked for"
    if profile is None:
        profile, reason = choose_profile(identity.robot_class, identity.subclass)
        client.set_profile(profile)
    console.print(f"{identity.name}: profile {profile.name}, {reason}", markup=False)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    report = earlier or Report(created, args.port, robot, args.robot or profile.name)
    stack.enter_context(_recording(args, client, profile, robot))
    trial = Trial(client, person, profile, config=client.config())
    trial.figures = {figure.key: figure for figure in report.figures}
    results = {result.name: result for result in report.steps}

    def save(result: StepResult) -> None:
        results[result.name] = result
        report.steps = [results[step.name] for step in all_steps() if step.name in results]
        report.figures = list(trial.figures.values())
        if trial.config is not None:
            report.config = trial.config.encode().hex()
        report.save(args.output)
        how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}, {result.reason}"
        style = "green" if result.status == DONE else "yellow"
        console.print(f"{result.title}: {how}", style=style, markup=False, highlight=False)

    left = [step for step in steps_of(profile) if step.name not in report.done]
    trial.run([step for step in left if not args.only or step.name in args.only], args.skip, save)
    return report


@contextlib.contextmanager
def _recording(args: argparse.Namespace, client: Client, profile: Profile, robot: dict[str, str]) -> Iterator[None]:
    """Write what the client sends and receives to the next recording of the folder."""
    path, number = args.output / RECORDING, 1
    while args.resume and path.exists():
        number += 1
        path = args.output / f"{Path(RECORDING).stem}-{number}{Path(RECORDING).suffix}"
    try:
        with path.open("wb", buffering=0) as file:
            names = robot["name"], robot["class"], robot["subclass"]
            write_head(file, Head(time.time(), args.port, *names, profile.name, profile.erratic))
            client.on_record = partial(write_record, file)
            try:
                yield
            finally:
                client.halt()
                client.on_record = lambda record: None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None


def _print_summary(console: Console, report: Report) -> int:
    """Print what differs, and return the exit status."""
    different = [figure for figure in report.figures if figure.verdict == DIFFERS]
    if different:
        printed = Table("Figure", "Robot", "Simulator", "", box=None, row_styles=["bold red"])
        for figure in different:
            printed.add_row(*figure_row(figure))
        console.print(printed)
    console.print(f"{counted(len(report.figures), 'figure')}: {report.summary}", highlight=False)
    for step in report.steps:
        if step.status != DONE:
            console.print(f"{step.title}: {step.status}, {step.reason}", style="yellow", markup=False, highlight=False)
    return int(bool(different) or any(step.status == FAILED for step in report.steps))
