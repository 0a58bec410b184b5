# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

r"""Talk to the device at an auxiliary serial port of the robot.

    amigobot aux 1                                  what you type goes there line by line; Ctrl-C or Ctrl-D ends
    amigobot aux 1 --send "V\r\n" --seconds 2       send, print what comes within 2 s, end
    printf 'go\r' | amigobot aux 2 --seconds 1

Bytes from the device go to standard output as they are. --send knows the escapes of Python: \r, \n, \t, \\, \xHH.
"""

from __future__ import annotations

import argparse
import select
import sys
import time

from . import ranges
from .robot_arguments import AnyRobot, add_node_arguments, add_robot_arguments, connect_either
from .usage_error import UsageError

#: s that one read takes; standard input is checked once in that time
_READ = 0.2
_LINE_ENDS = {"cr": b"\r", "lf": b"\n", "crlf": b"\r\n", "none": b""}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("number", type=int, choices=(1, 2, 3), help="which AUX port")
    parser.add_argument("--send", metavar="TEXT", help="send this instead of standard input")
    parser.add_argument(
        "--seconds", type=ranges.duration, metavar="S", help="end after this time without input (with --send: 1)"
    )
    parser.add_argument("--line-end", choices=sorted(_LINE_ENDS), default="cr", help="what Enter sends (%(default)s)")
    add_robot_arguments(parser)
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    text = None if args.send is None else unescaped(args.send)
    seconds = args.seconds if args.seconds is not None else None if text is None else 1.0
    with connect_either(args) as robot:
        if text is not None:
            robot.aux_write(args.number, text)
        _talk(robot, args.number, _LINE_ENDS[args.line_end], seconds, read_input=text is None)
    return 0


def _talk(robot: AnyRobot, number: int, line_end: bytes, seconds: float | None, *, read_input: bool) -> None:
    """Pass bytes both ways until the input has ended and nothing has come for some seconds."""
    quiet_since = time.monotonic()
    while read_input or (seconds is not None and time.monotonic() - quiet_since < seconds):
        if data := robot.aux_read(number, timeout=_READ):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            quiet_since = time.monotonic()
        if read_input and select.select([sys.stdin], [], [], 0)[0]:
            line = sys.stdin.buffer.readline()
            read_input = bool(line)
            quiet_since = time.monotonic()
            if line:
                robot.aux_write(number, line.removesuffix(b"\n") + (line_end if line.endswith(b"\n") else b""))


def unescaped(text: str) -> bytes:
    """Return the bytes of a text with the escapes of Python.

    Raises:
        UsageError: An escape is not complete.
    """
    try:
        return text.encode().decode("unicode_escape").encode("latin-1")
    except UnicodeError as error:
        raise UsageError(f"--send: {error.reason}; \\\\ sends a backslash") from None
