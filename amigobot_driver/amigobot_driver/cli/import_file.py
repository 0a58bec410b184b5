# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Translate the parameter file of another driver: p2os, RosAria, rosaria2, Player or ARIA.

    amigobot import p2os.launch > my_robot.yaml
    amigobot import pioneer.cfg > my_robot.yaml       Player
    amigobot import p3dx-sh.p > my_robot.yaml         ARIA
    ros2 launch amigobot_driver amigobot.launch.py params_file:=my_robot.yaml

It reads YAML files, launch files in XML, Player's configuration files and ARIA's `.p` files. In a launch file
`$(arg NAME)` becomes the value or default of that `<arg>`; another `$(...)`, such as `$(find)`, and
`<rosparam file=...>` end with an error that says what to replace. The output has a comment for each value, for each
parameter without a counterpart, for what else is in the file (remaps, namespaces, other nodes, `<include>`, which is
not followed), and for what the robot does differently. Read these comments before you drive: motors, sonars and the
time after which a velocity ends differ between the drivers.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import yaml

from .errors import UsageError
from .imports.files import read
from .imports.rules import Imported, ImportFileError, convert
from .imports.sources import SOURCES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("file", type=Path, help="YAML, .launch, .cfg or .p file")
    parser.add_argument("--source", choices=tuple(SOURCES), help="whose file it is; default: found out from the file")


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status."""
    try:
        imported = convert(read(args.file, SOURCES.get(args.source)))
    except ImportFileError as error:
        raise UsageError(f"{args.file}: {_one_line(str(error))}") from None
    _leave_out_what_the_node_refuses(imported)
    print("\n".join(_lines(args.file, imported)))
    return 0


def _leave_out_what_the_node_refuses(imported: Imported) -> None:
    """Replace each value out of range by the default, with a sentence: the node would not start with it."""
    try:
        from ..ros.parameters import TABLE
    except ImportError:
        return  # Without ROS 2 the ranges are not known. The node names the value when it starts.
    specs = {spec.name: spec for spec in TABLE}
    for parameter, value in list(imported.values.items()):
        try:
            specs[parameter].check(value)
        except ValueError as error:
            imported.left_out.append(f"{imported.origin[parameter]}: {error}")
            del imported.values[parameter]
            if parameter in imported.source.defaults:
                imported.values[parameter] = imported.source.defaults[parameter]
                imported.origin[parameter] = f"as {imported.source.name} does by default"


def _lines(file: Path, imported: Imported) -> Iterator[str]:
    """The parameter file."""
    yield f"# From {file.name}, a file of {imported.source.name}, by `amigobot import`. Pass it as params_file:=..."
    yield from _comments("What the robot does differently", imported.source.differences)
    yield from _comments("Notes", imported.notes)
    yield from _comments("Left out", imported.left_out)
    yield from _comments("In the file, and no parameter of the robot", imported.others)
    if imported.kept:
        yield from _comments("Kept as the robot has it", [", ".join(imported.kept)])
    yield "/**:"
    yield "  ros__parameters:"
    for parameter, value in imported.values.items():
        line = yaml.safe_dump({parameter: value}, width=math.inf).strip()
        yield f"    {line}  # {_one_line(imported.origin[parameter])}"


def _comments(title: str, lines: tuple[str, ...] | list[str]) -> Iterator[str]:
    if lines:
        yield f"# {title}:"
        yield from (f"# - {_one_line(line)}" for line in lines)


def _one_line(text: str) -> str:
    """The text without line breaks: its second line would be a parameter, not a comment."""
    return " ".join(text.split())
