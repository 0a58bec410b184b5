"""Show, save and restore the working configuration of the robot that a running node drives.

    amigobot config show
    amigobot config save mine.yaml
    amigobot config diff mine.yaml
    amigobot config restore mine.yaml

The file has the names and units of CONFIGpac; edit it as you like, it needs to hold only what differs. The values are
the robot's working ones: the node sends them again after every reconnect, as long as it runs. What stands in the
robot's FLASH is changed by ActivMedia's own maintenance tools only.
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
    parser.add_argument("action", choices=("show", "save", "diff", "restore"))
    parser.add_argument("file", nargs="?", type=Path, help="YAML file, for all but show")
    parser.add_argument("--namespace", default="", help="of the node")


def run(args: argparse.Namespace) -> int:
    if (args.file is None) is not (args.action == "show"):
        raise UsageError(f"{args.action} takes {'no file' if args.file else 'a file'}")
    wanted = _read(args.file) if args.action in ("diff", "restore") else {}
    config = _ask(args.namespace, wanted if args.action == "restore" else None)
    reported = dict(zip(config.raw_names, config.raw_values, strict=True))
    if args.action == "show":
        print(f"# {config.name}, {config.robot_class}/{config.robot_subclass}")
        print("\n".join(f"{name}: {value}" for name, value in reported.items()))
        return 0
    if args.action == "save":
        return _save(args.file, config.name, reported)
    return _compare(wanted, reported)


def _ask(namespace: str, values: Mapping[str, int] | None) -> Any:
    """The configuration as the robot reports it now, after setting values where there are any."""
    # Here, because every other verb works where no ROS is installed.
    from ..ros.client import NoResponse, configuration

    try:
        complaint, config = configuration(namespace, values)
    except NoResponse as error:
        raise UsageError(str(error)) from None
    if complaint:
        print(f"the robot: {complaint}", file=sys.stderr)
    if not config.received:
        raise UsageError("the robot has not reported its configuration")
    return config


def _save(file: Path, name: str, reported: Mapping[str, str]) -> int:
    values = {key: int(value) for key, value in reported.items() if key in TUNABLE}
    text = f"# Working configuration of {name}, in the units of CONFIGpac.\n{yaml.safe_dump(values, sort_keys=False)}"
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
        raise UsageError(f"{file}: names and values are needed, as `amigobot config save` writes them")
    try:
        check_working_values(content)
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    return content


def _compare(wanted: Mapping[str, int], reported: Mapping[str, str]) -> int:
    """Print what differs; 1 when anything does."""
    differing = [name for name, value in wanted.items() if reported.get(name) != str(value)]
    for name in differing:
        print(f"- {name}: {reported.get(name, 'not reported')}\n+ {name}: {wanted[name]}")
    print(f"as the file says: {len(wanted) - len(differing)} of {counted(len(wanted), 'value')}")
    return 1 if differing else 0
