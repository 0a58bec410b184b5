# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Print a recording of `amigobot record`.

    amigobot dump drive.amigo                       a line for each packet and command
    amigobot dump drive.amigo --packet Sip --csv    the fields of one kind of packet, for a spreadsheet
    amigobot dump drive.amigo --json                an object a line

A damaged recording is read up to the damage; exit status 1. `amigobot replay` shows what the driver makes of it.

`<` is from the robot, `>` is to the robot. Fields are in the units of the robot (page "Protocol reference").
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

from ..packet_file import Head, RecordedFrame
from ..protocol import inspect_frame
from .recording_file import read_recording
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("file", type=Path)
    parser.add_argument("--packet", metavar="NAME", help="only packets or commands of this name, for example Sip")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV; with --packet a column for each field")
    form.add_argument("--json", action="store_true", help="print JSON, an object a line")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status: 1 if nothing was printed, or the recording is damaged."""
    head, records, damaged = read_recording(args.file)
    entries = [entry(head, record) for record in records]
    names = sorted({row["name"] for row in entries})
    if args.packet is not None and args.packet not in names:
        raise UsageError(f"{args.file} has no packet or command {args.packet!r:.40}; it has: {', '.join(names)}")
    chosen = [row for row in entries if args.packet in (None, row["name"])]
    if args.csv:
        _print_csv(chosen, by_field=args.packet is not None)
    else:
        for row in chosen:
            text = row.pop("text")
            print(json.dumps(row) if args.json else f"{row['time']:10.3f} {'>' if row['to_robot'] else '<'} {text}")
    return int(damaged or not chosen)


def entry(head: Head, record: RecordedFrame) -> dict[str, Any]:
    """Return a record as time, direction, name, bytes, text and fields."""
    frame = inspect_frame(record.data, to_robot=record.to_robot, erratic=head.erratic)
    return {
        "time": round(record.time, 4),
        "to_robot": record.to_robot,
        "name": frame.name,
        "data": record.data.hex(),
        "text": str(frame.content or f"unknown {record.data.hex()}"),
        "fields": frame.fields,
    }


def _print_csv(rows: list[dict[str, Any]], *, by_field: bool) -> None:
    writer = csv.writer(sys.stdout)
    columns = ["time", "to_robot", "name", *(rows[0]["fields"] if by_field else ["data"])] if rows else []
    writer.writerow(columns)
    for row in rows:
        cells = [{**row["fields"], **row}.get(column, "") for column in columns]
        writer.writerow([json.dumps(cell) if isinstance(cell, dict | list) else cell for cell in cells])
