"""Record the packets of a robot, both ways, with their times.

    amigobot record drive.amigo --port /dev/ttyUSB0 --seconds 60
    amigobot dump drive.amigo

The robot is not driven: its motors stay off, so that it can be pushed. Ctrl-C ends the recording. What a running
amigobot_node exchanges with its robot is recorded with `ros2 launch amigobot_driver record.launch.py packets:=true`.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..wording import counted
from .errors import UsageError
from .options import add_robot_arguments, connect
from .packet_file import Head, Record, write_head, write_record

if TYPE_CHECKING:
    from ..api import AmigoBot

_LENGTH = 1000  #: frames that wait for the disk at most
_WAIT = 0.2  #: s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("file", type=Path, help="is created, or overwritten with --force")
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="S", help="end after this time")
    parser.add_argument("--force", action="store_true", help="overwrite the file")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status: 1 if frames were lost."""
    if args.file.exists() and not args.force:
        raise UsageError(f"{args.file} exists: name another file, or overwrite it with --force")
    with connect(args, trace=True) as robot:
        return _record(robot, args)


def _record(robot: AmigoBot, args: argparse.Namespace) -> int:
    from ..driver import boot_time
    from ..robot import FrameSeen

    began, identity = boot_time(), robot.identity
    head = Head(
        started=time.time(),
        port=args.port or "",
        name=identity.name,
        robot_class=identity.robot_class,
        subclass=identity.subclass,
        profile=robot.profile.name,
        erratic=robot.profile.firmware == "E",
    )
    count = 0
    with robot.events(FrameSeen, maxlen=_LENGTH) as frames:
        try:
            with args.file.open("wb") as file:
                write_head(file, head)
                while boot_time() - began < args.seconds:
                    if (frame := frames.get(_WAIT)) is not None:
                        write_record(file, Record(frame.stamp - began, frame.to_robot, frame.data))
                        count += 1
        except OSError as error:
            raise UsageError(f"{args.file}: cannot be written ({error.strerror})") from None
        except KeyboardInterrupt:
            pass
        print(f"{counted(count, 'packet')} in {args.file}" + (f", {frames.dropped} lost" if frames.dropped else ""))
        return 1 if frames.dropped else 0
