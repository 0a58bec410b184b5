# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""List, search and play the sounds that are stored in the robot.

    amigobot sounds list --port /dev/ttyUSB0
    amigobot sounds search morning
    amigobot sounds play 52
    amigobot sounds play 52 --ros                   through a running amigobot_node
    amigobot sounds play "good morning"

The first list takes about 0.13 s for each sound, 9.5 s for 72. Robots other than the AmigoBot may have none.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from .robot_arguments import add_node_arguments, add_robot_arguments, connect_either
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("action", choices=("list", "search", "play"))
    parser.add_argument("sound", nargs="?", help="number or name to play, part of a name to search")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_robot_arguments(parser)
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status: 1 if the search found nothing."""
    if (args.sound is None) is not (args.action == "list"):
        raise UsageError(f"{args.action} takes {'no sound' if args.sound else 'a sound: give its number or name'}")
    with connect_either(args) as robot:
        if args.action == "play":
            print(robot.play_sound(int(args.sound) if args.sound.isdecimal() else args.sound))
            return 0
        found = robot.list_sounds() if args.action == "list" else robot.find_sounds(args.sound)
    if args.json:
        print(json.dumps([dataclasses.asdict(sound) for sound in found], indent=2))
    else:
        for sound in found:
            print(f"{sound.name}:" if sound.is_group else f"{sound.number:4d}  {sound.name}")
    if not found and args.action == "search":
        print(f"no sound of this robot has {args.sound!r} in its name", file=sys.stderr)
        return 1
    return 0
