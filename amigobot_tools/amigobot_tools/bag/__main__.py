# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m amigobot_tools.bag: see the package."""

from __future__ import annotations

import argparse
import math
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from amigobot_driver import signals
from amigobot_driver.cli import UsageError, end_quietly
from amigobot_driver.cli.subcommands import explained
from amigobot_driver.wording import counted

from .reader import read_bag

_DRAIN_TIME = 0.15  #: s after a signal in which messages that wait are still recorded


def main() -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m amigobot_tools.bag", description="Record and check bags.")
    subcommands = parser.add_subparsers(dest="subcommand", required=True)
    record_parser = subcommands.add_parser("record", help="record until Ctrl-C")
    record_parser.add_argument("bag", type=Path, metavar="OUT", help="folder to be made")
    record_parser.add_argument("topics", nargs="*", metavar="TOPIC", help="default: all")
    info_parser = subcommands.add_parser("info", help="read a bag and count what is in it")
    info_parser.add_argument("bag", type=Path, metavar="BAG")
    arguments = parser.parse_args()
    try:
        return record(arguments.bag, arguments.topics) if "topics" in arguments else info(arguments.bag)
    except (UsageError, ImportError) as error:
        print(explained(error) if isinstance(error, ImportError) else error, file=sys.stderr)
        return 1


def record(out: Path, topics: list[str]) -> int:
    """Record until a signal asks for the end; what has arrived by then is written."""
    if out.exists():
        raise UsageError(f"{out} is there already: name another, or delete it")
    from amigobot_driver.cli.temporary_node import TemporaryNode

    from .recorder import BagRecorder
    from .writer import BagWriter

    try:
        with signals.caught() as stopped, TemporaryNode("bag_recorder") as temporary:
            writer = BagWriter(out)
            counts = BagRecorder(temporary.node, writer, topics).counts
            temporary.spin(math.inf, until=lambda: stopped)
            temporary.spin(_DRAIN_TIME)
            writer.close()
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{out}: cannot be written ({error})") from None
    print(f"saved {counted(counts.total(), 'message')} of {counted(len(counts), 'topic')} to {out}")
    return 0


def info(bag: Path) -> int:
    """Print the messages of each topic."""
    for topic, count in sorted(Counter(message.topic for message in read_bag(bag)).items()):
        print(f"{count:8}  {topic}")
    return 0


if __name__ == "__main__":
    sys.exit(end_quietly(main))
