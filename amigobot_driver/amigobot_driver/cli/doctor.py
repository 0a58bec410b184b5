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
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal

from ..doctor import Case, Finding, Kind, Target, as_json, examine, parse_target
from ..doctor.case import OBSERVED
from ..doctor.computer import ChosenPort
from ..doctor.graph import Graph, examine_graph
from ..doctor.table import findings_of
from ..errors import PortError
from ..profiles import load_profile
from ..protocol import BAUD_RATES
from . import ranges
from .doctor_report import pack
from .findings import Printer
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("port", nargs="?", metavar="PORT", help="device, HOST:PORT or URL (default: the serial port)")
    speed = "expected line speed (default: of the robot's profile)"
    parser.add_argument("--baud", type=int, choices=BAUD_RATES, default=0, help=speed)
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: by its identity)")
    listened, text = ranges.number(1, 3600, "s"), f"how long to listen to the robot ({OBSERVED:g} s)"
    parser.add_argument("--seconds", type=listened, metavar="S", help=text)
    parser.add_argument("--no-ros", action="store_true", help="leave out the checks of ROS")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write all of it to a zip file, without names")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    if args.robot:
        load_profile(args.robot)  # a wrong name is refused before anything is examined
    try:
        target = parse_target(args.port) if args.port else None
    except PortError as error:
        raise UsageError(str(error)) from None
    printer = Printer(quiet=args.json)
    case = Case(
        target=target or Target("", "", Kind.SERIAL),
        baud=args.baud,
        profile=args.robot,
        seconds=args.seconds or OBSERVED,
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
        pack(args.report, case, result, printer.text)
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
        case.on_progress("looking at the nodes of ROS")
        yield from examine_graph(_graph())


def _graph() -> Graph:
    """Read the graph in another process: a library of ROS may end its own."""
    graph = Graph({"ROS_DOMAIN_ID": os.environ.get("ROS_DOMAIN_ID", "")})
    if graph.domain_problem:
        return graph
    try:
        with ProcessPoolExecutor(1, get_context("fork"), signal, (SIGINT, SIG_DFL)) as pool:
            return pool.submit(_read_graph).result()
    except Exception as error:
        return replace(graph, problem=f"ROS cannot be examined: {' '.join(str(error).split()).rstrip('.')}")


def _read_graph() -> Graph:
    # Imported here: without ROS, everything else works.
    from .graph_reader import read_graph

    return read_graph()
