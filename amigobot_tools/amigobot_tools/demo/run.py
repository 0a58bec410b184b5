# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One demo: start everything, drive, end everything, report."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from amigobot_driver import signals

from .domain import free_domain
from .live import Live
from .supervisor import DemoError, Options, Supervisor

#: What a demo leaves in its folder; all of it is deleted when the next one begins.
_PRODUCTS = (
    *("tour.png", "bag", "tour.amigo", "truth.jsonl", "robot"),
    *("simulator.log", "driver.log", "recorder.log", "node.log"),
)


def run_demo(options: Options) -> int:
    """Drive a tour and report it.

    Returns:
        0: success; 1: failure, the last line has the reason; 130: a user ended it.
    """
    live = Live(sys.stdout)
    try:
        if options.port and not sys.stdin.isatty():
            raise DemoError("a person must confirm before a real robot moves, but there is no terminal")
        with contextlib.ExitStack() as stack:
            stack.enter_context(fresh_folder(options.out))
            domain = None
            if options.ros:
                domain = stack.enter_context(free_domain())
                live.say(f"with ROS 2, ROS_DOMAIN_ID={domain} lets other programs watch; the logs are in {options.out}")
            else:
                live.say(f"without ROS 2, through the Python API; the logs are in {options.out}")
            problems = drive_and_report(options, domain, live)
    except DemoError as error:
        live.say(f"FAILED: {error}")
        return 1
    except KeyboardInterrupt as end:
        live.say(f"ended early; {end}")
        return 130
    if problems:
        live.say(f"FAILED: {'; '.join(problems)} (see {options.out}/*.log)")
        return 1
    live.say("the demo succeeded")
    return 0


@contextlib.contextmanager
def fresh_folder(path: Path) -> Iterator[None]:
    """Keep the folder for this demo, without what the last one left.

    Raises:
        DemoError: The folder cannot be used.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("w")
    except OSError as error:
        raise DemoError(f"{path} cannot be written ({error.strerror}); --out names another folder") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError("another demo is running in this folder: name another folder with --out") from None
        for name in _PRODUCTS:
            shutil.rmtree(path / name) if (path / name).is_dir() else (path / name).unlink(missing_ok=True)
        yield


def drive_and_report(options: Options, domain: int | None, live: Live) -> list[str]:
    """Drive, end all processes, and report.

    Returns:
        What did not work.

    Raises:
        KeyboardInterrupt: A user ended it; the message has the state in which the robot was left.
    """
    try:
        with signals.caught() as received:  # nothing may interrupt the end of the processes
            supervisor = Supervisor(options, domain, live, lambda: bool(received))
            with supervisor:
                drive(supervisor, options, live)
        if received:
            raise KeyboardInterrupt
        live.say("reading what was recorded ...")
        from .evaluation import evaluate  # imported late: the robot need not wait for matplotlib

        return [*supervisor.faults(), *evaluate(supervisor, options.out, live)]
    except DemoError as error:
        return [str(error), *supervisor.robot_faults()]
    except KeyboardInterrupt:
        good = "the robot is at rest, its session is closed" if supervisor.last.robot else "no robot was ready yet"
        raise KeyboardInterrupt("; ".join(supervisor.robot_faults()) or good) from None


def drive(supervisor: Supervisor, options: Options, live: Live) -> None:
    """Start the processes and drive the tour."""
    began = time.monotonic()
    supervisor.start()
    live.say(f"{supervisor.last.robot} is ready after {time.monotonic() - began:.1f} s")
    if options.port:
        live.say("It will drive a square of 0.5 m, ahead and to its left, at 0.15 m/s, and turn on the spot.")
        live.ask("Move? [y/N]")
        if supervisor.wait_for_line().lower() not in ("y", "yes"):
            raise KeyboardInterrupt
    # Loads matplotlib while the robot drives.
    threading.Thread(target=import_module, args=(f"{__package__}.evaluation",)).start()
    supervisor.drive()
    live.say("arrived")
