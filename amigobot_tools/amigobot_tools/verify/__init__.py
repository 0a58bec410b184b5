# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Test a real robot once: measure what it does, compare it with the simulator, and write a report.

    amigobot verify /dev/ttyUSB0                    about ten minutes; explains each step, asks before anything moves
    amigobot verify /dev/ttyUSB0 --resume           go on with the steps that are not done yet
    amigobot verify sim://amigo-sh                  the same with a simulated robot and owner, in seconds
    amigobot verify --compare amigobot-verify/report.json

Writes report.json, report.md and packets.amigo (a recording as of `amigobot record`) into the folder of --output. Any
key stops the robot and ends the run. `amigobot sim --from-report report.json` is a simulator with the measured values.
Exit status 0: everything is as simulated or unknown; 1: something differs, or a step failed.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("port", nargs="?", metavar="PORT", help="/dev/ttyUSB0, HOST:8101, or sim://...")
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: by its identity)")
    parser.add_argument(
        "--output", type=Path, default=Path("amigobot-verify"), metavar="DIR", help="folder of the report (%(default)s)"
    )
    parser.add_argument("--only", action="append", default=[], metavar="STEP", help="do this step; may be repeated")
    parser.add_argument(
        "--skip", action="append", default=[], metavar="STEP", help="leave out this step; may be repeated"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the report in the folder")
    parser.add_argument("--force", action="store_true", help="overwrite the report in the folder")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="ask nothing: the wheels ARE off the floor, and steps that need hands or a floor are skipped",
    )
    parser.add_argument("--compare", type=Path, metavar="REPORT", help="compare a report again; needs no robot")
    parser.add_argument("--list", action="store_true", help="list the steps")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    # Imported here: `amigobot --help` needs no simulator.
    from . import terminal

    return terminal.run(args)
