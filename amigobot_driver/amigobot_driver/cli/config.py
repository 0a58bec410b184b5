# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Show, save, compare, edit and restore the tuning values of a robot.

    amigobot config show                            of the robot of a running amigobot_node
    amigobot config show --port /dev/ttyUSB0        without ROS
    amigobot config save mine.yaml
    amigobot config diff mine.yaml                  exit status 1: they differ
    amigobot config restore mine.yaml
    amigobot config edit                            opens them in $EDITOR, then sets what you have changed

The file has the names and units of the CONFIG packet. You may edit it and remove entries. A node sets these values
again after every reconnect. On AmigOS 1.3 and later they end with the session, and so with this command and --port.
The FLASH of the robot is not changed.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from ..errors import RequestFailedError
from ..resources import read_mapping
from ..robot import TUNABLE, check_tuning
from ..wording import counted
from .robot_arguments import add_node_arguments, add_robot_arguments, connect_either
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("action", choices=("show", "save", "diff", "restore", "edit"))
    parser.add_argument("file", nargs="?", type=Path, help="YAML file for save, diff and restore")
    parser.add_argument("--json", action="store_true", help="print JSON (show)")
    parser.add_argument("--force", action="store_true", help="overwrite the file (save)")
    add_robot_arguments(parser, default="the robot of the node")
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    if (args.file is None) is not (args.action in ("show", "edit")):
        raise UsageError(f"{args.action} takes {'no file' if args.file else 'a file: give its path'}")
    if args.json and args.action != "show":
        raise UsageError(f"--json is for show, not for {args.action}")
    if args.action == "save" and args.file.exists() and not args.force:
        raise UsageError(f"{args.file} exists: name another file, or overwrite it with --force")
    requested = _read(args.file) if args.action in ("diff", "restore") else {}
    if not args.port:
        args.ros = True
    name, model, reported = _ask(args, requested if args.action == "restore" else {})
    if args.action == "edit":
        requested = _edited(name, reported)
        if not requested:
            print("nothing was changed")
            return 0
        name, model, reported = _ask(args, requested)
    if args.action in ("diff", "restore", "edit"):
        return _compare(requested, reported)
    if args.action == "save":
        args.file.write_text(_text(name, reported), encoding="utf-8")
        print(f"saved {counted(len(TUNABLE.keys() & reported.keys()), 'value')} to {args.file}")
    elif args.json:
        print(json.dumps({"name": name, "model": model, "values": reported}))
    else:
        print(f"# {name}, {model}")
        print("\n".join(f"{name}: {value}" for name, value in reported.items()))
    return 0


#: Values by the names of the CONFIG packet.
Values = Mapping[str, int | str]


def _ask(args: argparse.Namespace, values: Mapping[str, int]) -> tuple[str, str, Values]:
    """Set values if there are any. Return the name, the class with the subclass, and the values of the robot."""
    with connect_either(args) as robot:
        if values:
            try:
                robot.set_config(values)
            except RequestFailedError as error:
                print(f"the robot: {error}", file=sys.stderr)
        identity = robot.identity
        return identity.name, f"{identity.robot_class}/{identity.subclass}", robot.get_config()


def _text(name: str, reported: Values) -> str:
    """Return the tuning values as the text of a file."""
    values = {key: value for key, value in reported.items() if key in TUNABLE}
    return f"# Tuning values of {name}, in the units of the CONFIG packet.\n{yaml.safe_dump(values, sort_keys=False)}"


def _edited(name: str, reported: Values) -> dict[str, int]:
    """Let the user edit the tuning values, and return those that were changed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "amigobot.yaml"
        file.write_text(_text(name, reported), encoding="utf-8")
        try:
            status = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
        except OSError as error:
            raise UsageError(f"the editor {editor} cannot be started ({error.strerror}); set EDITOR") from None
        if status:
            raise UsageError(f"the editor {editor} ended with status {status}; nothing was changed")
        return {key: value for key, value in _read(file).items() if value != reported.get(key)}


def _read(file: Path) -> dict[str, int]:
    content = read_mapping(file, UsageError)
    try:
        check_tuning(content)
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    return content


def _compare(requested: Mapping[str, int], reported: Values) -> int:
    """Print the differences; return 1 if there are any."""
    differing = [name for name, value in requested.items() if reported.get(name) != value]
    for name in differing:
        print(f"- {name}: {reported.get(name, 'not reported')}\n+ {name}: {requested[name]}")
    print(f"equal to the file: {len(requested) - len(differing)} of {counted(len(requested), 'value')}")
    return 1 if differing else 0
