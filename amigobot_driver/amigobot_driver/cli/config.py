"""Show, save, compare and restore the working values of the robot of a running node.

    amigobot config show
    amigobot config save mine.yaml
    amigobot config diff mine.yaml
    amigobot config restore mine.yaml

The file has the names and units of the CONFIG packet. You may edit it and remove entries. The node sends these working
values again after every reconnect while it runs. They do not change the FLASH of the robot; only the maintenance tools
of ActivMedia do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..robot import TUNABLE, check_working_values
from ..wording import counted
from .errors import UsageError

_MAX_SIZE = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("action", choices=("show", "save", "diff", "restore"))
    parser.add_argument("file", nargs="?", type=Path, help="YAML file, not for show")
    parser.add_argument("--namespace", default="", help="namespace of the node")


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status."""
    if (args.file is None) is not (args.action == "show"):
        raise UsageError(f"{args.action} takes {'no file' if args.file else 'a file'}")
    requested = _read(args.file) if args.action in ("diff", "restore") else {}
    config = _ask(args.namespace, requested if args.action == "restore" else None)
    reported = dict(zip(config.raw_names, config.raw_values, strict=True))
    if args.action == "show":
        print(f"# {config.name}, {config.robot_class}/{config.robot_subclass}")
        print("\n".join(f"{name}: {value}" for name, value in reported.items()))
        return 0
    if args.action == "save":
        return _save(args.file, config.name, reported)
    return _compare(requested, reported)


def _ask(namespace: str, values: Mapping[str, int] | None) -> Any:
    """Set values if there are any, and return the configuration that the robot reports."""
    # Imported here: the other verbs work without ROS.
    from ..ros.client import NoResponse, configuration

    try:
        problem, config = configuration(namespace, values)
    except NoResponse as error:
        raise UsageError(str(error)) from None
    if problem:
        print(f"the robot: {problem}", file=sys.stderr)
    if not config.received:
        raise UsageError("the robot has not reported its configuration")
    return config


def _save(file: Path, name: str, reported: Mapping[str, str]) -> int:
    values = {key: int(value) for key, value in reported.items() if key in TUNABLE}
    text = f"# Working values of {name}, in the units of the CONFIG packet.\n{yaml.safe_dump(values, sort_keys=False)}"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror})") from None
    print(f"{counted(len(values), 'value')} in {file}")
    return 0


def _read(file: Path) -> dict[str, int]:
    try:
        if file.stat().st_size > _MAX_SIZE:
            raise UsageError(f"{file}: too long for a configuration, more than {_MAX_SIZE} bytes")
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: cannot be read ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise UsageError(f"{file}: a mapping of names to values is required, as `amigobot config save` writes it")
    try:
        check_working_values(content)
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    return content


def _compare(requested: Mapping[str, int], reported: Mapping[str, str]) -> int:
    """Print the differences; return 1 if there are any."""
    differing = [name for name, value in requested.items() if reported.get(name) != str(value)]
    for name in differing:
        print(f"- {name}: {reported.get(name, 'not reported')}\n+ {name}: {requested[name]}")
    print(f"equal to the file: {len(requested) - len(differing)} of {counted(len(requested), 'value')}")
    return 1 if differing else 0
