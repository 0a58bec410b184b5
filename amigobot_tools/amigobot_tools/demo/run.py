# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One demo: start the programs, drive, end the programs, report."""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from amigobot_driver import AmigoBotError, Options, signals
from amigobot_driver.cli import UsageError
from amigobot_driver.sim import load_world

from ..bag.reader import BagError
from ..state import Remote
from .domain import free_domain
from .drive import Drive, follow, ready
from .launch import WORLD, DemoError, Launch, wait_for
from .tour import TOURS

_CONNECT_TIMEOUT = 60.0  # s until the robot is found
_LINE_PERIOD = 4.0  # s between two lines where a line cannot change
_PRODUCTS = ("tour.png", "bag", "tour.amigo", "truth.jsonl", "robot", "simulator.log", "recorder.log", "node.log")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What the user may choose."""

    out: Path
    port: str = ""  #: of a real robot; "": simulate one
    seconds: float = math.inf  #: drive no longer than this
    ros: bool = True  #: through a node; otherwise through the Python API


def run_demo(options: DemoOptions) -> int:
    """Drive a tour and report it.

    Returns:
        0: success; 1: failure, the last line has the reason; 130: a user ended it.
    """
    try:
        if options.port and not sys.stdin.isatty():
            raise DemoError("a person must confirm before a real robot moves, but there is no terminal")
        with signals.caught() as received, contextlib.ExitStack() as stack:
            _empty(options.out)
            if options.ros:
                stack.enter_context(_own_domain(options.out))
            else:
                _say(f"without ROS 2, through the Python API; the logs are in {options.out}")
            problems = _Demo(options, received).run()
    except DemoError as error:
        _say(f"FAILED: {error}")
        return 1
    except KeyboardInterrupt as end:
        _say(f"ended early; {end}")
        return 130
    _say(f"FAILED: {'; '.join(problems)} (see {options.out}/*.log)" if problems else "the demo succeeded")
    return int(bool(problems))


class _Demo:
    """One demo.

    Args:
        options: What the user has chosen.
        received: Signals that ask for the end; they do not interrupt anything else.
    """

    def __init__(self, options: DemoOptions, received: list[int]) -> None:
        self._options, self._received = options, received
        self._launch = Launch(options.out)
        self._file = options.out / ("bag" if options.ros else "tour.amigo")
        self._next_line = 0.0
        self._found = False

    def run(self) -> list[str]:
        """Drive and report; return what did not work.

        Raises:
            DemoError: The robot could not drive.
            KeyboardInterrupt: A user ended it; the message has the state in which the robot was left.
        """
        try:
            with self._launch:
                drive = self._drive()
        except KeyboardInterrupt:
            good = "the robot is at rest, its session is closed" if self._found else "no robot was ready yet"
            raise KeyboardInterrupt("; ".join(self._launch.faults()) or good) from None
        except DemoError as error:
            raise DemoError("; ".join([str(error), *self._launch.faults()])) from None
        return [*self._launch.faults(), *self._report(drive)]

    def _drive(self) -> Drive:
        """Start the programs and drive the tour; leaving the robot stops it."""
        options, launch = self._options, self._launch
        tour = TOURS["square" if options.port else "room"]
        port = options.port or str(launch.port)
        if not options.port:
            launch.simulator()
            if not wait_for(launch.port.exists, _CONNECT_TIMEOUT, self._check):
                raise DemoError("the simulator does not start")
        if options.ros:
            launch.recorder(self._file)
            launch.node(port, tour)
        began = time.monotonic()
        _say(f"connecting to {port}")
        with contextlib.ExitStack() as stack:
            remote = self._connect(port)
            stack.callback(remote.close)
            if not wait_for(lambda: self._is_ready(remote), _CONNECT_TIMEOUT, self._check):
                raise DemoError(f"no robot is ready to drive ({remote.state().note})")
            self._found = True
            _say(f"{remote.state().name} is ready after {time.monotonic() - began:.1f} s")
            if options.port:
                self._confirm()
            if not options.ros:
                stack.enter_context(remote.robot.record(self._file))  # type: ignore[attr-defined]
            drive = follow(remote, tour, options.seconds, self._check, self._show)
        _say("arrived")
        return drive

    def _connect(self, port: str) -> Remote:
        """Begin to connect to the robot; without ROS with the limits of the tour."""
        tour = TOURS["square" if self._options.port else "room"]
        if self._options.ros:
            from ..node_remote import NodeRemote  # needs ROS

            return NodeRemote("", drives=True, timeout=0.0)
        from ..port_remote import PortRemote

        limits = Options(trace=True, max_linear=tour.speed, max_angular=tour.turn_rate)
        try:
            return PortRemote(port, drives=True, timeout=0.0, options=limits)
        except AmigoBotError as error:
            raise DemoError(str(error)) from None

    def _is_ready(self, remote: Remote) -> bool:
        """Whether the robot can drive, and with ROS whether the recorder receives what it does."""
        if not ready(remote.state()):
            return False
        if not self._options.ros:
            return True
        remote.drive(0.0, 0.0)  # the recorder waits for a publisher
        return all(remote.node.count_subscribers(topic) > 1 for topic in ("odom", "cmd_vel"))  # type: ignore[attr-defined]

    def _confirm(self) -> None:
        """Ask a person before a real robot moves.

        Raises:
            KeyboardInterrupt: The answer is no.
        """
        _say("It will drive a square of 0.5 m, ahead and to its left, at 0.15 m/s, and turn on the spot.")
        print("Move? [y/N]", end=" ", flush=True)
        wait_for(lambda: bool(select.select([sys.stdin], [], [], 0)[0]), math.inf, self._check)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise KeyboardInterrupt

    def _check(self) -> None:
        if self._received:
            _say("stopping the robot, closing its session ...")
            raise KeyboardInterrupt
        self._launch.check()

    def _show(self, line: str) -> None:
        """Show the progress: a line that the next one replaces, or a line now and then where that cannot be."""
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", flush=True)
        elif (now := time.monotonic()) >= self._next_line:
            self._next_line = now + _LINE_PERIOD
            print(line, flush=True)

    def _report(self, drive: Drive) -> Iterator[str]:
        """Print what was measured and draw the picture; yield what is wrong."""
        _say("reading what was recorded ...")
        from . import report
        from .picture import draw  # imported late: the robot need not wait for matplotlib

        simulated, path = not self._options.port, self._options.out / "tour.png"
        measured = report.measure(drive, self._launch.truth if simulated else None)
        draw(drive, measured, load_world(WORLD) if simulated else None, path)
        try:
            found = report.contents(self._file)
        except (BagError, UsageError) as error:
            yield str(error)
            return
        for line in report.summary(drive, measured, found, path, self._file):
            _say(line)
        yield from report.problems(drive, measured, found)


def _say(text: str) -> None:
    """Print a line that stays."""
    print("\r\x1b[K" * sys.stdout.isatty() + text, flush=True)


def _empty(folder: Path) -> None:
    """Make the folder, without what the last demo left.

    Raises:
        DemoError: The folder cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in (folder / name for name in _PRODUCTS):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    except OSError as error:
        raise DemoError(f"{folder} cannot be written ({error.strerror}); --out names another folder") from None


@contextlib.contextmanager
def _own_domain(out: Path) -> Iterator[None]:
    """Use a ROS domain of its own, on this computer only, for the block."""
    before = dict(os.environ)
    with free_domain() as domain:
        for name in ("ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "ROS_NAMESPACE"):
            os.environ.pop(name, None)
        os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        _say(f"with ROS 2, ROS_DOMAIN_ID={domain} lets other programs watch; the logs are in {out}")
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
