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
from amigobot_driver.protocol import SyncReply
from amigobot_driver.signals import Terminated
from amigobot_driver.transport import open_port
from amigobot_driver.transport.simulated import simulator_of
from amigobot_driver.wording import counted

from ..keys import TerminalClosed, keyboard
from . import page, report
from .client import Client, Stopped
from .comparison import DIFFERS, UNKNOWN, Compared, compare
from .learned import simulator_section
from .line import Line, PortLine, SimulatorLine
from .owner import Owner
from .reference import expected
from .report import PAGE, RECORDING, REPORT, Report
from .runner import DONE, FAILED, Runner, StepResult
from .simulated_owner import SimulatedOwner
from .table import STEPS, steps_of
from .terminal_owner import TerminalOwner, UnattendedOwner
from .trial import Trial

_SIMULATED = "sim://"
_FIRST_BAUD = 9600
_STYLES = {DONE: "green"}
_COLORS = {DIFFERS: "bold red", UNKNOWN: "dim"}


def print_steps() -> int:
    """Print the table of steps."""
    table = Table(box=None)
    for title in ("Step", "", "Where", "Errata"):
        table.add_column(title, style="bold" if title == "Step" else "")
    for step in STEPS:
        table.add_row(step.name, step.explanation, step.place.value, ", ".join(step.errata))
    Console().print(table)
    return 0


def check_steps(names: Sequence[str]) -> None:
    """Refuse names that are not steps.

    Raises:
        UsageError: A step does not exist.
    """
    known = [step.name for step in STEPS]
    for name in names:
        if name not in known:
            raise UsageError(f"step {name!r:.60} is not known, allowed: {', '.join(known)}")


def compare_again(path: Path) -> int:
    """Compare a report with the simulator of today, and print what differs."""
    found = report.load(path)
    profile = load_profile(found.profile)
    other = expected(profile, found.robot_config(), found.done)
    found.figures = compare([item.figure for item in found.figures], other.figures)
    console = Console()
    _print_summary(console, found)
    return _status(found)


def verify(args: argparse.Namespace) -> int:
    """Run the steps with a robot and write the report."""
    console = Console()
    before = _earlier(args)
    try:
        made, profile = _measure(args, console, before)
    except Stopped:
        raise UsageError("ended by a key") from None
    except (TerminalClosed, Terminated) as end:
        raise UsageError(f"{end}; the robot was stopped; continue with --resume") from None
    _finish(args.output, made, profile)
    _print_summary(console, made)
    console.print(f"{args.output / PAGE}: the same with plots; {args.output / RECORDING}: every packet", markup=False)
    return _status(made)


def _measure(args: argparse.Namespace, console: Console, before: Report | None) -> tuple[Report, Profile]:
    """Run the steps; on every exit the robot is stopped and its session closed."""
    with contextlib.ExitStack() as stack:
        line, owner = _connect(args, console, stack)
        client = Client(line, owner.stopped)
        if args.robot:
            client.set_profile(load_profile(args.robot))
        stack.callback(client.end)
        stack.callback(client.halt)
        reply = client.connect()
        profile, reason = _profile(args.robot, reply)
        client.set_profile(profile)
        client.open()
        console.print(f"{reply.name}: profile {profile.name}, {reason}", markup=False)
        trial = Trial(client, owner, profile, config=client.config())
        made = before or Report(
            created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            port=args.port,
            robot={"name": reply.name, "class": reply.robot_class, "subclass": reply.subclass},
            profile=args.robot or profile.name,
        )
        recorder = stack.enter_context(_recording(args, client, made, profile))
        _run(args, trial, made, recorder, console)
        return made, profile


def _earlier(args: argparse.Namespace) -> Report | None:
    """The report that is resumed."""
    path = args.output / REPORT
    if args.resume:
        return report.load(path)
    if path.exists() and not args.force:
        raise UsageError(f"{path} exists: go on with --resume, overwrite it with --force, or name another --output")
    try:
        args.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{args.output}: cannot be made ({error.strerror})") from None
    return None


def _connect(args: argparse.Namespace, console: Console, stack: contextlib.ExitStack) -> tuple[Line, Owner]:
    """Open the port, and find out who answers the questions."""
    if args.port.startswith(_SIMULATED):
        simulator, _ = simulator_of(args.port)
        return SimulatorLine(simulator), SimulatedOwner(simulator)
    owner: Owner
    if args.yes:
        owner = UnattendedOwner(console)
    else:
        try:
            owner = TerminalOwner(stack.enter_context(keyboard()), console)
        except TerminalClosed as error:
            raise UsageError(f"{error}; without one, --yes asks nothing") from None
    line = PortLine(partial(open_port, args.port, _FIRST_BAUD))
    stack.callback(line.close)
    return line, owner


def _profile(robot: str, reply: SyncReply) -> tuple[Profile, str]:
    if robot:
        return load_profile(robot), "as asked for"
    return choose_profile(reply.robot_class, reply.subclass)


class _Recorder:
    """Appends what the client has sent and received to the recording."""

    def __init__(self, client: Client, path: Path, head: Head) -> None:
        self._client, self._written = client, 0
        try:
            self._file = path.open("wb")
        except OSError as error:
            raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
        write_head(self._file, head)

    def flush(self) -> None:
        """Write what is new."""
        for record in self._client.records[self._written :]:
            write_record(self._file, record)
        self._written = len(self._client.records)
        self._file.flush()

    def close(self) -> None:
        """Write what is new, and end the file."""
        self.flush()
        self._file.close()


@contextlib.contextmanager
def _recording(args: argparse.Namespace, client: Client, made: Report, profile: Profile) -> Iterator[_Recorder]:
    head = Head(
        started=time.time(),
        port=args.port,
        name=made.robot["name"],
        robot_class=made.robot["class"],
        subclass=made.robot["subclass"],
        profile=profile.name,
        erratic=client.is_erratic,
    )
    number = 1
    path = args.output / RECORDING
    while args.resume and path.exists():
        number += 1
        path = args.output / f"{Path(RECORDING).stem}-{number}{Path(RECORDING).suffix}"
    recorder = _Recorder(client, path, head)
    try:
        yield recorder
    finally:
        client.halt()
        recorder.close()


def _run(args: argparse.Namespace, trial: Trial, made: Report, recorder: _Recorder, console: Console) -> None:
    """Run the steps that are left, and save after each."""
    results = {result.name: result for result in made.steps}
    trial.figures = {item.figure.key: item.figure for item in made.figures}
    trial.series = dict(made.series)
    done = made.done
    possible = steps_of(trial.profile)
    steps = [step for step in possible if step.name not in done and (not args.only or step.name in args.only)]

    def save(result: StepResult) -> None:
        results[result.name] = result
        made.steps = [results[step.name] for step in STEPS if step.name in results]
        made.figures = [report.without_comparison(figure) for figure in trial.figures.values()]
        made.series = trial.series
        if trial.config is not None:
            made.config = trial.config.encode().hex()
        recorder.flush()
        report.write(made, args.output / REPORT)
        how = f"{result.seconds:.0f} s" if result.status == DONE else f"{result.status}, {result.reason}"
        console.print(
            f"{result.title}: {how}", style=_STYLES.get(result.status, "yellow"), markup=False, highlight=False
        )

    Runner(trial, save).run(steps, args.skip)


def _finish(folder: Path, made: Report, profile: Profile) -> None:
    """Compare with the simulator, and write everything."""
    other = expected(profile, made.robot_config(), made.done)
    made.figures = compare([item.figure for item in made.figures], other.figures)
    made.expected_series = other.series
    made.simulator = simulator_section(profile, made.robot_config(), made.figures)
    report.write(made, folder / REPORT)
    page.write(made, folder / PAGE)


def _print_summary(console: Console, made: Report) -> None:
    table = Table(box=None)
    for title in ("Figure", "Robot", "Simulator", ""):
        table.add_column(title)
    shown = [item for item in made.figures if item.verdict == DIFFERS]
    for item in shown:
        table.add_row(*_row(item), style=_COLORS.get(item.verdict, ""))
    if shown:
        console.print(table)
    unknown = made.count(UNKNOWN)
    same = len(made.figures) - len(shown) - unknown
    verdicts = f"{same} as simulated, {len(shown)} different, {unknown} unknown"
    console.print(f"{counted(len(made.figures), 'figure')}: {verdicts}", highlight=False)
    for step in made.steps:
        if step.status != DONE:
            console.print(f"{step.title}: {step.status}, {step.reason}", style="yellow", markup=False, highlight=False)


def _row(item: Compared) -> tuple[str, str, str, str]:
    figure = item.figure
    robot = page.shown(figure.value, figure.unit, figure.uncertainty)
    return figure.title, robot, page.shown(item.expected, figure.unit, item.expected_uncertainty), item.verdict


def _status(made: Report) -> int:
    return int(made.count(DIFFERS) > 0 or any(step.status == FAILED for step in made.steps))
