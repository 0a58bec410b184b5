# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One demo: start the programs, drive, end the programs, report."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

from amigobot_driver import ConnectionFailedError
from amigobot_driver.sim import load_world

from ..geometry import Pose
from ..person import check_terminal, confirm
from ..state import Remote
from .programs import DemoError, Programs, use_own_domain
from .tour import ROOM, SQUARE
from .tour_drive import TourLog, follow, read_truth

_TIMEOUT = 60.0  # s until the simulator is ready, and until the robot is found
_CHECK_PERIOD = 0.05  # s between two checks of the simulator
_WORLD = "room"
_MAX_DISTANCE = 0.05  # m that odometry may be off at the end
_MAX_ANGLE = math.radians(2)  # rad, the same for the yaw


def run_demo(out: Path, port: str, seconds: float, *, ros: bool) -> None:
    """Drive a tour and report it.

    Args:
        out: Folder to write to.
        port: Of a real robot; "": simulate one.
        seconds: Drive no longer than this.
        ros: Drive through a node; otherwise through the Python API.

    Raises:
        UsageError: The person does not confirm that a real robot moves.
        AmigoBotError: There is no robot, or it cannot drive the tour.
    """
    if port:
        check_terminal()
    truth, simulated = out / "truth.jsonl", out / "robot"
    out.mkdir(parents=True, exist_ok=True)
    simulated.unlink(missing_ok=True)
    with Programs(out) as programs:
        if not port:
            where = ["--pty", str(simulated), "--world", _WORLD, "--truth", str(truth)]
            programs.start("simulator", "amigobot_driver.cli", "sim", "--robot", "amigo", "--name", "Amigo", *where)
            deadline = time.monotonic() + _TIMEOUT
            while not simulated.is_symlink():
                programs.check()
                if time.monotonic() > deadline:
                    raise DemoError(f"the simulator is not ready after {_TIMEOUT:g} s: see {out / 'simulator.log'}")
                time.sleep(_CHECK_PERIOD)
        with (_node if ros else _python)(programs, out, port or str(simulated)) as remote:
            print(f"{remote.state().name} is ready")
            if port:
                confirm(f"{port}: the robot drives a square of 0.5 m, ahead and to its left, at 0.15 m/s.")
            drive = follow(remote, SQUARE if port else ROOM, seconds, programs.check)
    report(drive, out, None if port else truth)
    if not ros:
        print(f"  recording {_short(out / 'tour.amigo')}")
    print("\nthe demo succeeded")


@contextmanager
def _node(programs: Programs, out: Path, port: str) -> Iterator[Remote]:
    """Connect through a node."""
    print(f"with ROS 2, ROS_DOMAIN_ID={use_own_domain()} lets other programs watch; the logs are in {out}")
    from ..node_remote import NodeRemote  # needs ROS

    programs.start("node", "amigobot_driver.ros.main", "--ros-args", "-p", f"port:={port}")
    try:
        remote = NodeRemote("", drives=True, timeout=_TIMEOUT)
    except ConnectionFailedError:
        programs.check()
        raise
    with closing(remote):
        yield remote


@contextmanager
def _python(programs: Programs, out: Path, port: str) -> Iterator[Remote]:
    """Connect through the Python API, which records the packets."""
    print(f"without ROS 2, through the Python API; the logs are in {out}")
    from ..port_remote import PortRemote

    with closing(PortRemote(port, drives=True, timeout=_TIMEOUT)) as remote, remote.robot.record(out / "tour.amigo"):
        yield remote


def report(drive: TourLog, out: Path, truth_file: Path | None) -> None:
    """Draw the picture and print what was measured, where the truth is known in the frame of the room.

    Args:
        drive: The tour.
        out: Folder of the picture.
        truth_file: What the simulator has written; None for a real robot.

    Raises:
        DemoError: The odometry is wrong.
    """
    from .picture import draw  # imported late: the robot need not wait for matplotlib

    driven = sum(math.dist(a[:2], b[:2]) for a, b in pairwise(drive.poses))
    title = f"driven    {driven:.2f} m in {drive.times[-1] - drive.times[0]:.1f} s"
    truth: list[Pose] = []
    world, end = None, Pose(0.0, 0.0, 0.0)
    if truth_file is not None:
        truth, world = read_truth(truth_file, drive.times), load_world(_WORLD)
        drive = drive.placed(Pose(0.0, 0.0, 0.0).seen_from(drive.poses[0]).transformed_by(truth[0]))
        end = drive.poses[-1].seen_from(truth[-1])
    error = f"{100 * math.hypot(end.x, end.y):.1f} cm and {math.degrees(abs(end.yaw)):.2f} deg off at the end"
    path = out / "tour.png"
    draw(path, drive, truth, world, title.replace("    ", " "))
    print(f"\n  {title}")
    if truth:
        print(f"  odometry  {error}")
    print(f"  picture   {_short(path)}")
    if math.hypot(end.x, end.y) > _MAX_DISTANCE or abs(end.yaw) > _MAX_ANGLE:
        raise DemoError(f"odometry is {error}")


def _short(path: Path) -> Path:
    """Return a path relative to the current folder, if it is below it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
