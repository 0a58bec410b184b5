# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` in a terminal: a run with a robot, a comparison of a report, the list of steps."""

from __future__ import annotations

import argparse
import contextlib

from amigobot_driver.cli import UsageError
from amigobot_driver.cli.findings import Printer
from amigobot_driver.doctor import Case, Finding, Severity, parse_target
from amigobot_driver.transport.simulated import simulator_of
from amigobot_driver.wording import counted

from ..person import Person, StoppedError
from ..terminal_person import TerminalPerson
from .client import Client
from .report import PAGE, REPORT, VerifyReport, figure_row, load
from .runs import RECORDING, run_steps
from .simulated_person import simulated
from .step_table import steps
from .trial import DONE, FAILED


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask for, and return the exit status."""
    printer = Printer(name_width=max(map(len, steps())) + 1)
    if args.list:
        for step in steps().values():
            details = (f"{step.place}{''.join(f', {erratum}' for erratum in step.errata)}",)
            printer.finding(Finding(step.name, Severity.NOTE, step.tell, details=details))
        return 0
    if args.compare is not None:
        report = load(args.compare)
        report.compare()
        for result in report.steps:
            if result.status != DONE:
                printer.finding(result.finding)
        return _print_result(printer, report)
    if args.port is None:
        raise UsageError("which robot? amigobot verify /dev/ttyUSB0, or sim:// for a simulated one")
    return _verify(args, printer)


def _verify(args: argparse.Namespace, printer: Printer) -> int:
    """Run the steps with a robot and write the report."""
    for name in {*args.only, *args.skip} - steps().keys():
        raise UsageError(f"step {name!r:.60} is not known, allowed: {', '.join(steps())}")
    folder, path, port = args.output, args.output / REPORT, args.port
    if path.exists() and not (args.resume or args.force):
        raise UsageError(f"{path} exists: go on with --resume, overwrite it with --force, or name another --output")
    earlier = load(path) if args.resume and path.exists() else None  # without one no step was ended yet
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with contextlib.ExitStack() as stack:
            person: Person
            if port.startswith("sim://"):
                client, person = simulated(simulator_of(port)[0])
            else:
                person = stack.enter_context(TerminalPerson(asks=not args.yes))
                line = stack.enter_context(contextlib.closing(Case(target=parse_target(port)).open()))
                client = Client.at_port(line, person.stopped)
            report = run_steps(client, person, folder, printer.finding, port, args.robot, args.only, args.skip, earlier)
    except StoppedError:
        raise UsageError("ended by a key; the robot was stopped; continue with --resume") from None
    except KeyboardInterrupt:
        printer.line("ended by Ctrl-C; the robot was stopped; continue with --resume")
        raise
    report.finish(folder)
    status = _print_result(printer, report)
    printer.line(f"{folder / PAGE}: every figure; {folder / RECORDING}: every packet")
    return status


def _print_result(printer: Printer, report: VerifyReport) -> int:
    """Print what differs, and return the exit status."""
    for figure in report.differences:
        title, robot, simulator, _ = figure_row(figure)
        printer.finding(Finding(figure.step, Severity.WARNING, f"{title}: {robot}, simulator: {simulator}"))
    printer.line(f"{counted(len(report.figures), 'figure')}: {report.summary}")
    return int(bool(report.differences) or any(step.status == FAILED for step in report.steps))
