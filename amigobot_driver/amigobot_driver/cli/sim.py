# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Run simulated robots on a pty or on TCP.

    amigobot sim --pty /tmp/robot                       then: amigobot_node --ros-args -p port:=/tmp/robot
    amigobot sim --robot amigo-sh --tcp 127.0.0.1:8101 --world office
    amigobot sim --pty /tmp/robot --as grunt            a real robot, as it was reported
    amigobot sim --robots FILE                          several robots in one world, a port for each

Prints one line for each notable event; ends with Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO

from .. import signals
from ..sim import Faults, SessionState, Simulator, SimulatorEvent, SonarModel, Wear, build_simulator, load_robots
from ..sim.fields import option_help
from ..sim.pty import PtyConnection
from ..sim.reported import reported_help
from ..sim.server import ClientConnection, Served, ServedRobot, TruthLog, serve
from ..sim.simulator_options import OPTIONS
from ..sim.tcp import TcpConnection
from ..transport.target import DEFAULT_TCP_PORT
from .ranges import parse_address
from .usage_error import UsageError

_CLOSE_TIMEOUT = 2.0  # s that clients of a fleet have to close their sessions after a signal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--pty", metavar="PATH", help="serve a serial port with a link at PATH")
    where.add_argument("--tcp", metavar="[HOST:]PORT", help="serve TCP; without HOST only on this machine")
    where.add_argument("--robots", metavar="FILE", help="serve the robots of a YAML file, which share its world")
    for option in OPTIONS:
        parser.add_argument(
            option.flag or f"--{option.name}",
            dest=option.name,
            metavar=option.metavar,
            help=option.help,
            action="append" if option.list_of else "store",
        )
    parser.add_argument("--check-baud", action="store_true", help="with --pty: a client at another speed gets noise")
    parser.epilog = (
        f"reported robots, each as --as NAME:\n{reported_help()}\n\n"
        f"faults, each as --fault NAME=VALUE:\n{option_help(Faults)}\n\n"
        f"wear, each as --wear NAME=VALUE:\n{option_help(Wear)}\n\n"
        f"sonar, each as --sonar NAME=VALUE:\n{option_help(SonarModel)}"
    )
    parser.add_argument("--truth", metavar="FILE", help="append the true state of the robot to FILE, as JSON lines")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    if args.check_baud and args.pty is None:
        raise UsageError("--check-baud needs --pty: a TCP connection has no speed")
    clock = _Clock()
    with contextlib.ExitStack() as stack:
        stopped = stack.enter_context(signals.caught())
        file = stack.enter_context(open(args.truth, "a", encoding="utf-8")) if args.truth else None
        served = _serve(args, clock, file, stack)
        serve(*served, stopped=lambda: bool(stopped))
        if args.robots:
            serve_open_sessions(served)
        clock.print("stopped")
    return 0


def serve_open_sessions(served: Sequence[Served]) -> None:
    """Serve robots until their clients have closed the sessions: a Ctrl-C also reaches the drivers of a fleet."""
    end = time.monotonic() + _CLOSE_TIMEOUT
    robots = [entry.robot for entry in served if isinstance(entry.robot, Simulator)]

    def ended() -> bool:
        return time.monotonic() >= end or all(robot.session is not SessionState.OPEN for robot in robots)

    serve(*served, stopped=ended)


def _serve(args: argparse.Namespace, clock: _Clock, file: IO[str] | None, stack: contextlib.ExitStack) -> list[Served]:
    """Open the port of the robot that the arguments describe, or those of all robots in the file."""
    if args.robots:
        described = load_robots(args.robots)
        robots = described.build(clock.print_event)
        places = [(entry.name, entry.pty, entry.tcp, robots[entry.name]) for entry in described.robots]
    else:
        simulator = build_simulator(_options(args), on_event=partial(clock.print_event, ""))
        places = [("", args.pty, args.tcp, simulator)]
    served = []
    for name, pty, tcp, simulator in places:
        log = partial(clock.print, robot=name)
        connection = connect(pty, tcp, simulator, log, check_baud=args.check_baud)
        stack.callback(connection.close)
        log(f"{simulator.profile.description} in {simulator.world.name}, listening on {connection.description}")
        served.append(Served(simulator, connection, TruthLog(file, name) if file else None))
    return served


def _options(args: argparse.Namespace) -> dict[str, str]:
    """Return the options of the command line as those of `sim://`."""
    given = {option.name: getattr(args, option.name) for option in OPTIONS}
    return {
        name: value if isinstance(value, str) else ";".join(value) for name, value in given.items() if value is not None
    }


class _Clock:
    """Prints lines with the seconds since the start of the program."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def print(self, text: str, robot: str = "", at: float | None = None) -> None:
        seconds = (time.monotonic() if at is None else at) - self._start
        print(f"{seconds:9.2f}  {robot + ': ' if robot else ''}{text}", flush=True)

    def print_event(self, robot: str, event: SimulatorEvent) -> None:
        self.print(str(event), robot, event.time)


def connect(
    pty: str, tcp: str, simulator: ServedRobot, log: Callable[[str], None], *, check_baud: bool = False
) -> ClientConnection:
    """Open the pty, or the TCP port, at which a simulated robot is served.

    Raises:
        UsageError: It cannot be opened.
    """
    try:
        if pty:
            return PtyConnection(pty, simulator, check_baud=check_baud, log=log)
        return TcpConnection(parse_address("--tcp", tcp, DEFAULT_TCP_PORT), simulator, log=log)
    except OSError as error:
        raise UsageError(f"{pty or tcp}: {error.strerror or error}") from None
