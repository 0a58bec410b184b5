"""One demo: start everything, drive, end everything, report."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from .domain import free_domain
from .live import Live
from .stage import DemoError, Options, Stage

#: What a demo leaves in its folder; all of it is deleted when the next one begins.
_PRODUCTS = (
    *("tour.png", "bag", "tour.amigo", "truth.jsonl", "robot"),
    *("simulator.log", "driver.log", "recorder.log", "node.log"),
)


def run_demo(options: Options) -> int:
    """Drive a tour and report it.

    Returns:
        0: all of it worked; 1: it did not, the last line says why; 130: a user ended it.
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
                live.say(f"with ROS 2, ROS_DOMAIN_ID={domain} lets others look on; the logs are in {options.out}")
            else:
                live.say(f"without ROS 2, through the Python API; the logs are in {options.out}")
            problems = perform(options, domain, live)
    except DemoError as error:
        live.say(f"FAILED: {error}")
        return 1
    except KeyboardInterrupt as end:
        live.say(f"ended early; {end}")
        return 130
    if problems:
        live.say(f"FAILED: {'; '.join(problems)} (see {options.out}/*.log)")
        return 1
    live.say("all of it worked")
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
            raise DemoError("another demo is running in this folder; --out names another one") from None
        for name in _PRODUCTS:
            shutil.rmtree(path / name) if (path / name).is_dir() else (path / name).unlink(missing_ok=True)
        yield


def perform(options: Options, domain: int | None, live: Live) -> list[str]:
    """Drive and report.

    Returns:
        What did not work.

    Raises:
        KeyboardInterrupt: A user ended it; says how the robot was left.
    """
    signals: list[int] = []
    # Noted, not raised: nothing interrupts the ending of what has been started. They arrive even if a shell
    # has had SIGINT ignored, as it does for what it starts in the background.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: signals.append(number))
    stage = Stage(options, domain, live, lambda: bool(signals))
    try:
        with stage:
            drive(stage, options, live)
        if signals:
            raise KeyboardInterrupt
        signal.signal(signal.SIGINT, signal.default_int_handler)
        live.say("reading what was recorded ...")
        from .evaluation import evaluate  # not above: a robot need not wait for what draws pictures

        return [*stage.faults(), *evaluate(stage, options.out, live)]
    except DemoError as error:
        return [str(error), *stage.robot_faults()]
    except KeyboardInterrupt:
        good = "the robot is at rest, its session is closed" if stage.last.robot else "no robot was ready yet"
        raise KeyboardInterrupt("; ".join(stage.robot_faults()) or good) from None


def drive(stage: Stage, options: Options, live: Live) -> None:
    """Do the part of the demo during which there is a robot."""
    began = time.monotonic()
    stage.start()
    live.say(f"{stage.last.robot} is ready after {time.monotonic() - began:.1f} s")
    if options.port:
        live.say("It will drive a square half a meter wide, ahead and to its left, at 0.15 m/s, and turn on the spot.")
        live.ask("Move? [y/N]")
        if stage.wait_for_line().lower() not in ("y", "yes"):
            raise KeyboardInterrupt
    threading.Thread(target=import_module, args=(f"{__package__}.evaluation",)).start()  # there is time for it now
    stage.drive()
    live.say("arrived")
