# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Record the packets of a robot, both ways, with their times.

    amigobot record drive.amigo --port /dev/ttyUSB0 --seconds 60
    amigobot dump drive.amigo

The motors stay off, so that the robot can be pushed. Ctrl-C ends the recording. For a running amigobot_node use
`ros2 launch amigobot_driver record.launch.py packets:=true`, for a program of the Python API
`robot.record("drive.amigo")`.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..wording import counted
from . import ranges
from .robot_arguments import add_robot_arguments, connect
from .usage_error import UsageError

if TYPE_CHECKING:
    from ..api import AmigoBot

_WAIT = 0.2  #: s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("file", type=Path, help="is created, or overwritten with --force")
    parser.add_argument("--seconds", type=ranges.duration, default=math.inf, metavar="S", help="end after this time")
    parser.add_argument("--force", action="store_true", help="overwrite the file")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status: 1 if packets are missing."""
    if args.file.exists() and not args.force:
        raise UsageError(f"{args.file} exists: name another file, or overwrite it with --force")
    with connect(args, trace=True) as robot:
        end = time.monotonic() + args.seconds
        try:
            recorded = record_packets(robot, args.file, lambda: time.monotonic() >= end)
        except OSError as error:
            raise UsageError(f"{args.file}: cannot be written ({error.strerror})") from None
    print(f"{counted(recorded.packets, 'packet')} in {args.file}")
    if recorded.dropped:
        print(f"amigobot record: {counted(recorded.dropped, 'packet')} lost: the disk is too slow", file=sys.stderr)
    if recorded.gaps:
        print(f"amigobot record: the connection was lost {counted(recorded.gaps, 'time')}", file=sys.stderr)
    return 1 if recorded.dropped or recorded.gaps else 0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is in a file."""

    packets: int
    dropped: int  #: packets that are missing because the disk was too slow
    gaps: int  #: how often the connection was lost


def record_packets(robot: AmigoBot, path: Path, ended: Callable[[], bool]) -> Recorded:
    """Record until a condition is met, or until Ctrl-C.

    Args:
        robot: The robot.
        path: File to write.
        ended: Called at least five times a second.

    Raises:
        OSError: The file cannot be written.
    """
    with robot.record(path) as recording, suppress(KeyboardInterrupt):
        while recording.running and not ended():
            time.sleep(_WAIT)
    return Recorded(recording.packets, recording.dropped, recording.gaps)
