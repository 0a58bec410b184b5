"""python -m tools.demo [--port PORT]: see the package."""

from __future__ import annotations

import argparse
import fcntl
import math
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from .domain import free_domain
from .live import Live
from .stage import DemoError, Options, Stage

#: What a demo leaves in its folder; all of it goes when the next one begins.
_PRODUCTS = ("tour.png", "bag", "truth.jsonl", "robot", "simulator.log", "driver.log", "recorder.log", "node.log")


def main() -> int:
    """0: all of it happened; 1: it did not, the last line says why; 130: a person ended it."""
    options = parse_arguments()
    live = Live(sys.stdout)
    try:
        if options.port and not sys.stdin.isatty():
            raise DemoError("a person must confirm before a real robot moves, but there is no terminal")
        with fresh_folder(options.out), free_domain() as domain:
            live.say(f"ROS_DOMAIN_ID={domain} lets others look on; the logs are in {options.out}")
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


def parse_arguments() -> Options:
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description="Drive a tour under ROS 2 and report.")
    parser.add_argument("--port", default="", help="of a real robot: /dev/ttyUSB0, socket://host:port; else simulated")
    parser.add_argument("--seconds", type=float, default=math.inf, help="drive no longer than this")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for picture, bag and logs (%(default)s)")
    arguments = parser.parse_args()
    return Options(
        out=arguments.out.resolve(),
        port=arguments.port,
        tour="square" if arguments.port else "room",
        seconds=arguments.seconds,
    )


@contextmanager
def fresh_folder(path: Path) -> Iterator[None]:
    """The folder for what a demo leaves, without what the last one left. Raises DemoError."""
    path.mkdir(parents=True, exist_ok=True)
    with (path / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError("another demo is running in this folder; --out names another one") from None
        for name in _PRODUCTS:
            shutil.rmtree(path / name) if (path / name).is_dir() else (path / name).unlink(missing_ok=True)
        yield


def perform(options: Options, domain: int, live: Live) -> list[str]:
    """Drive and report; what did not work. KeyboardInterrupt says how the robot was left."""
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
        good = "the robot stands, its session is closed" if stage.last.robot else "no robot was ready yet"
        raise KeyboardInterrupt("; ".join(stage.robot_faults()) or good) from None


def drive(stage: Stage, options: Options, live: Live) -> None:
    """The part during which there is a robot."""
    began = time.monotonic()
    stage.start()
    live.say(f"{stage.last.robot} is ready after {time.monotonic() - began:.1f} s")
    if options.port:
        live.say("It will drive a square half a meter wide, ahead and to its left, at 0.15 m/s, and turn on the spot.")
        live.ask("Move? [y/N]")
        if stage.wait_for_line().lower() not in ("y", "yes"):
            raise KeyboardInterrupt
    threading.Thread(target=import_module, args=("tools.demo.evaluation",)).start()  # there is time for it now
    stage.drive()
    live.say("arrived")


if __name__ == "__main__":
    sys.exit(main())
