# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What `amigobot verify` does: a run with a robot, a comparison of a report, the list of steps."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from amigobot_driver.cli import UsageError
from amigobot_driver.signals import TerminatedError
from amigobot_driver.transport import open_port
from amigobot_driver.transport.simulated import simulator_of
from amigobot_driver.wording import counted

from ..keys import TerminalClosedError
from .client import Client, StoppedError
from .measurement import Plan, measure
from .report import PAGE, RECORDING, REPORT, Report, figure_row, load
from .simulated import SimulatedLine, SimulatedPerson
from .table import all_steps
from .terminal import TerminalPerson
from .trial import DONE, FAILED, Person
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
            client, person = _connect(args, console, stack)
            say = partial(console.print, markup=False, highlight=False)
            report = measure(Plan(folder, args.port, args.robot, args.only, args.skip, earlier), client, person, say)
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
