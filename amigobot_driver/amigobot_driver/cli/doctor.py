# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Find out why a robot does not work, or works badly, and say how to repair it.

    amigobot doctor                                 the serial port of this computer
    amigobot doctor /dev/ttyUSB0
    amigobot doctor 192.168.1.11:8101               behind a network bridge
    amigobot doctor /dev/ttyUSB0 --report report.zip

Examines the port, the line, the robot and its sensors, and with ROS the nodes, in about 15 s. The robot does not move.
Another device at this port receives some bytes. Exit status 1: there is a problem. The most probable cause comes first,
with its remedy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ..doctor import Case, Finding, Kind, Severity, Target, as_json, examine, parse_target, verdict
from ..doctor.case import OBSERVED
from ..doctor.computer import ChosenPort
from ..doctor.examination import not_examined
from ..doctor.graph import examine_graph
from ..doctor.table import findings_of
from ..errors import PortError
from ..profiles import ProfileError, load_profile
from ..protocol import BAUD_RATES
from .doctor_report import pack
from .usage_error import UsageError

#: Columns of the label and of the name of the check.
_LABEL_WIDTH, _NAME_WIDTH = 7, 16
_WIDTH = 100  #: widest output
#: Longest examination (s) with the default options, without start and end of the program.
_LIMIT = 12.0
#: Label and style, as numbers of SGR.
_LABELS = {
    Severity.OK: ("ok", "32"),
    Severity.NOTE: ("note", "36"),
    Severity.WARNING: ("WARN", "33"),
    Severity.ERROR: ("ERROR", "31;1"),
}
_BOLD, _FAINT = "1", "2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("port", nargs="?", metavar="PORT", help="device, HOST:PORT or URL (default: the serial port)")
    parser.add_argument("--baud", type=int, default=0, help="expected line speed (default: of the robot's profile)")
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: by its identity)")
    parser.add_argument("--seconds", type=float, metavar="S", help=f"how long to listen to the robot ({OBSERVED:g} s)")
    parser.add_argument("--no-ros", action="store_true", help="leave out the checks of ROS")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write all of it to a zip file, without names")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    if args.seconds is not None and not 1.0 <= args.seconds <= 3600.0:
        raise UsageError(f"--seconds is {args.seconds:g}, allowed: 1 to 3600 s")
    if args.baud and args.baud not in BAUD_RATES:
        raise UsageError(f"--baud is {args.baud}, allowed: {', '.join(map(str, BAUD_RATES))}")
    try:
        target = parse_target(args.port) if args.port else None
        if args.robot:
            load_profile(args.robot)
    except (PortError, ProfileError) as error:
        raise UsageError(str(error)) from None
    printer = _Printer(quiet=args.json)
    case = Case(
        target=target or Target("", "", Kind.SERIAL),
        baud=args.baud,
        profile=args.robot,
        seconds=args.seconds or OBSERVED,
        limit=math.inf if args.seconds else _LIMIT,
        on_progress=printer.progress,
    )
    began, findings = time.monotonic(), []
    for finding in _findings(case, ros=not args.no_ros):
        findings.append(finding)
        printer.finding(finding)
    printer.verdict(findings)
    result = as_json(case.target, findings, time.monotonic() - began)
    if args.json:
        print(json.dumps(result, indent=2, default=str))
    if args.report:
        try:
            pack(args.report, case, result, printer.text)
        except OSError as error:
            raise UsageError(f"--report {args.report}: cannot be written ({error.strerror})") from None
        printer.line("")
        printer.line(f"{args.report} has all of it, without names of people and machines: attach it to your issue.")
    return 0 if result["healthy"] else 1


def _findings(case: Case, *, ros: bool) -> Iterator[Finding]:
    if not case.target.url:
        case.on_progress("looking for serial ports")
        chosen = ChosenPort()
        yield from findings_of("ports", chosen)
        if chosen.device:
            case.target = parse_target(chosen.device)
    if case.target.url:
        yield from examine(case)
    if ros and find_spec("rclpy") is not None:
        # Imported here: without ROS, everything else works.
        from .graph_reader import read_graph

        case.on_progress("looking at the nodes of ROS")
        yield from examine_graph(read_graph())


class _Printer:
    """Prints findings as they come, and the verdict; keeps the text for a report."""

    def __init__(self, *, quiet: bool) -> None:
        self.text = ""  #: all lines so far, without colors
        self._quiet = quiet
        self._width = min(_WIDTH, shutil.get_terminal_size((80, 24)).columns)
        self._color = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._shows_progress = sys.stderr.isatty() and not quiet

    def progress(self, text: str) -> None:
        """Show what is done now, until the next line."""
        if self._shows_progress:
            print(f"\r\x1b[2K{f'  ... {text}' if text else ''}", end="", file=sys.stderr, flush=True)

    def line(self, text: str, style: str = "", label: str = "") -> None:
        """Print a line; the style is that of the label, or of all without one."""
        self.text += f"{label}{text}\n"
        if self._quiet:
            return
        self.progress("")
        begin, end = (f"\x1b[{style}m", "\x1b[0m") if style and self._color else ("", "")
        print(f"{begin}{label}{end}{text}" if label else f"{begin}{text}{end}", flush=True)

    def finding(self, finding: Finding) -> None:
        """Print a finding."""
        label, style = _LABELS[finding.severity]
        indent = " " * (2 + _LABEL_WIDTH + _NAME_WIDTH)
        first, *rest = self._wrapped(finding.text, indent)
        self.line(f"{finding.check:<{_NAME_WIDTH}}{first}", style, f"  {label:<{_LABEL_WIDTH}}")
        for line in rest:
            self.line(indent + line)
        for line in (line for detail in finding.details for line in self._wrapped(detail, indent)):
            self.line(indent + line, _FAINT)

    def verdict(self, findings: Sequence[Finding]) -> None:
        """Print the causes, the most probable first, with their remedies."""
        self.line("")
        causes, left_out = verdict(findings), not_examined(findings)
        if not causes:
            closing = f"All is well at rest. Not examined: {'; '.join(left_out)}." if left_out else "All is well."
            for line in self._wrapped(closing, ""):
                self.line(line, _LABELS[Severity.OK][1])
            return
        severe = any(finding.severity is Severity.ERROR for finding in findings)
        title = "It does not work. " if severe else "It works, with a problem. "
        self.line(title + ("The cause:" if len(causes) == 1 else "The causes, the most probable first:"), _BOLD)
        for number, (finding, cause) in enumerate(causes, 1):
            self.line("")
            first, *rest = self._wrapped(cause.text, "   ")
            for line in (f"{f'{number}.' if len(causes) > 1 else '':<3}{first}", *(f"   {line}" for line in rest)):
                self.line(line, _LABELS[finding.severity][1])
            for line in self._wrapped(cause.action, "   ") if cause.action else ():
                self.line(f"   {line}")
            if cause.command:
                # Never wrapped: it is for copying.
                self.line(f"       {cause.command}", _BOLD)

    def _wrapped(self, text: str, indent: str) -> list[str]:
        return textwrap.wrap(text, max(30, self._width - len(indent)), break_on_hyphens=False) or [""]
