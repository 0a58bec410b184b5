# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Play tones on the robot; an AmigoBot with AmigOS has none.

    amigobot say 0.2:440 0.1:0 0.4:880 --port /dev/ttyUSB0
    amigobot say 0.2:440 0.1:0 0.4:880 --port sim://amigo-sh

Each tone is SECONDS:HERTZ, up to 20 of them: 0.02 to 5.1 s, about 20 to 5000 Hz; 0 Hz is a rest.
"""

from __future__ import annotations

import argparse
import time

from ..wording import wrong_type
from .robot_arguments import add_node_arguments, add_robot_arguments, connect_either
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("tones", nargs="+", metavar="S:HZ", help="a tone: seconds and frequency")
    add_robot_arguments(parser)
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    tones = [_tone(text) for text in args.tones]
    with connect_either(args) as robot:
        print(robot.say(tones))
        # The session stays open until the robot has played them.
        time.sleep(sum(seconds for seconds, _ in tones))
    return 0


def _tone(text: str) -> tuple[float, float]:
    seconds, _, hertz = text.partition(":")
    try:
        return float(seconds), float(hertz)
    except ValueError:
        raise UsageError(wrong_type("the tone", text, "SECONDS:HERTZ, for example 0.2:440")) from None
