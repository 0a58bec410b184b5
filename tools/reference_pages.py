# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Fill the tables of docs/reference from the code: topics, services, parameters, messages, profiles, launch arguments.

tools/interface_files.py writes the pages, tools/generated_tables.py says how they name their tables. A table is a
function that is marked with @table.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from amigobot_driver.parameter_table import TABLE, Spec
from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.robot import Options
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED, message_name
from tools.generated_tables import Tables, rows

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "amigobot_msgs"
PAGES = ("topics.md", "services.md", "parameters.md", "messages.md", "robots.md", "launch.md")
sys.path.insert(0, str(ROOT / "amigobot_driver" / "test"))
launch_files = importlib.import_module("launch_files")
#: The default of enable_stamped_cmd_vel, which must not depend on where the pages are written.
_BY_DISTRO = "true; false on Jazzy and earlier"
#: What the description of an argument says that is a parameter of the driver.
_OF_NODE = ". Default: the value in params_file, else "

TABLES = Tables()
table = TABLES.add


@table
def topics() -> Iterator[str]:
    """What the node publishes and subscribes to."""
    body, texts = [], yaml.safe_load((ROOT / "docs/reference/topics.yaml").read_text("utf-8"))
    for direction, topics in (("", PUBLISHED), ("**sub** ", SUBSCRIBED)):
        for topic in topics:
            names = ", ".join(f"`{name}`" for name in topic.names("0"))
            text = texts.pop(topic.name)
            more = " ..." if "{number}" in topic.name and not topic.numbers else ""
            body.append((f"{direction}{names}{more}", _linked(topic.kind), text.get("when", ""), text["notes"]))
    assert not texts, f"topics.yaml describes topics that the node does not have: {', '.join(texts)}"
    return rows(("topic", "type", "rate", ""), body)


@table
def services() -> Iterator[str]:
    """Services and actions."""
    # The order of SERVICES depends on what was imported first.
    texts = yaml.safe_load((ROOT / "docs/reference/services.yaml").read_text("utf-8"))
    kinds = dict(sorted(SERVICES.items())) | ACTIONS
    assert kinds.keys() == texts.keys(), "services.yaml must describe each service and action of the node"
    body = [(f"{'action ' * (name in ACTIONS)}`{name}`", _linked(kind), texts[name]) for name, kind in kinds.items()]
    return rows(("name", "type", ""), body)


def _linked(kind: type) -> str:
    """The name of a type; a type of amigobot_msgs as a link to its definition."""
    name = message_name(kind)
    package, _, plain = name.partition("/")
    return f"[{name}](messages.md#{plain.lower()})" if package == "amigobot_msgs" else name


@table
def parameters() -> Iterator[str]:
    """The parameters of the node."""
    fixed = ", ".join(f"`{spec.name}`" for spec in TABLE if not spec.at_run_time)
    yield f"These need a restart of the driver: {fixed}."
    yield ""
    body = []
    for spec in TABLE:
        allowed = "" if isinstance(spec.default, bool) and not spec.words else spec.range_text()
        description = re.sub(r"; -?\d+ keeps the robot's setting$", "", spec.description)
        body.append((f"`{spec.name}`", _default(spec), allowed, description))
    yield from rows(("parameter", "default", "allowed", ""), body)


def _default(spec: Spec) -> str:
    if spec.name == "enable_stamped_cmd_vel":
        return _BY_DISTRO
    if spec.default == "":
        return "empty"
    return f"`{str(spec.default).lower() if isinstance(spec.default, bool) else spec.default}`"


@table
def options() -> Iterator[str]:
    """Each option of the Python API whose parameter of the node has another name."""
    by_option: dict[str, list[Spec]] = {"profile": [_spec("robot"), _spec("param_file")]}
    for spec in TABLE:
        by_option.setdefault("tuning" if spec.tunes else spec.option or spec.name, []).append(spec)
    names = {field.name: [spec.name for spec in by_option[field.name]] for field in dataclasses.fields(Options)}
    body = ((f"`{name}`", ", ".join(f"`{each}`" for each in specs)) for name, specs in names.items() if specs != [name])
    return rows(("`Options(...)`", "parameter"), body)


def _spec(name: str) -> Spec:
    return next(spec for spec in TABLE if spec.name == name)


@table
def messages() -> Iterator[str]:
    """Every definition of amigobot_msgs, as its file has it."""
    for title, folder in (("Messages", "msg"), ("Services", "srv"), ("Actions", "action")):
        yield f"## {title}"
        yield ""
        for file in sorted((MESSAGES / folder).iterdir()):
            yield f"### {file.stem}"
            yield ""
            yield "```text"
            yield file.read_text(encoding="utf-8").rstrip()
            yield "```"
            yield ""


@table
def robots() -> Iterator[str]:
    """Every robot profile."""
    body = []
    for name in available_profiles():
        profile = load_profile(name)
        limits = f"{profile.limits.linear:.2f}, {profile.limits.angular:.2f}"
        body.append((f"`{name}`", profile.description, len(profile.sonar.poses), limits))
    return rows(("profile", "robot", "sonars", "limits: m/s, rad/s"), body)


@table
def launch_arguments() -> Iterator[str]:
    """The arguments of every launch file."""
    for package in ("amigobot_driver", "amigobot_navigation"):
        for file in sorted((ROOT / package / "launch").glob("*.launch.py")):
            arguments = launch_files.declared(file)
            yield f"## {file.name}"
            yield ""
            yield f"Package {package}."
            yield ""
            own = {name: argument for name, argument in arguments.items() if _OF_NODE not in argument["description"]}
            if shared := [f"`{name}`" for name in arguments if name not in own]:
                yield f"[Parameters](parameters.md), which override `params_file`: {', '.join(shared)}."
                yield ""
            yield "```text"
            for name, argument in own.items():
                yield f"{name}  (default: {_launch_default(argument)})"
                yield from textwrap.wrap(argument["description"], 112, initial_indent="    ", subsequent_indent="    ")
            yield "```"
            yield ""


def _launch_default(argument: dict[str, Any]) -> str:
    default = argument.get("default_value")
    choices = "; one of " + ", ".join(argument["choices"]) if argument.get("choices") else ""
    if default is None:
        return "must be given"
    return ("{}/{}".format(*Path(default).parts[-2:]) if default.startswith("/") else default or "empty") + choices
