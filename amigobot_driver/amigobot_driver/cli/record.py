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
from contextlib import suppress
from pathlib import Path

from ..wording import counted
from . import ranges
from .robot_arguments import add_robot_arguments, connect
from .usage_error import UsageError

_CHECK_PERIOD = 0.2  #: s between two checks of the end


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
    with connect(args, trace=True) as robot, robot.record(args.file) as recording, suppress(KeyboardInterrupt):
        end = time.monotonic() + args.seconds
        while recording.running and time.monotonic() < end:
            time.sleep(_CHECK_PERIOD)
    print(f"{counted(recording.packets, 'packet')} in {args.file}")
    if recording.dropped:
        print(f"amigobot record: {counted(recording.dropped, 'packet')} lost: the disk is too slow", file=sys.stderr)
    if recording.gaps:
        print(f"amigobot record: the connection was lost {counted(recording.gaps, 'time')}", file=sys.stderr)
    return 1 if recording.dropped or recording.gaps else 0
