# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Fill the tables of docs/reference from the code: topics, services, parameters, messages, profiles, launch arguments.

tools/interface_files.py writes the pages. A table stands between the lines `<!-- generated: NAME -->` and
`<!-- end -->`, where NAME is a function of this module that is marked with @table. The text around it is written by
hand.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.robot import Options
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.node_parameters import TABLE, Spec
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED, message_name

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "amigobot_msgs"
PAGES = ("topics.md", "services.md", "parameters.md", "messages.md", "robots.md", "launch.md")
sys.path.insert(0, str(ROOT / "amigobot_driver" / "test"))
launch_files = importlib.import_module("launch_files")
#: The default of enable_stamped_cmd_vel, which must not depend on where the pages are written.
_BY_DISTRO = "true; false on Jazzy and earlier"
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

TABLES: dict[str, Callable[[], Iterator[str]]] = {}


def table(function: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
    """Make a function a table of the pages."""
    TABLES[function.__name__] = function
    return function


def filled(page: Path) -> str:
    """The text of a page with its tables as the code has them."""

    def block(match: re.Match[str]) -> str:
        head, name, end = match.groups()
        return f"{head}\n" + "\n".join(TABLES[name]()) + f"\n\n{end}"

    return BLOCK.sub(block, page.read_text(encoding="utf-8"))


@table
def topics() -> Iterator[str]:
    """What the node publishes and subscribes to."""
    yield "| topic | type | rate | |"
    yield "|---|---|---|---|"
    for direction, rows in (("", PUBLISHED), ("**sub** ", SUBSCRIBED)):
        for topic in rows:
            names = ", ".join(f"`{name}`" for name in topic.names("0"))
            more = " ..." if "{number}" in topic.name and not topic.numbers else ""
            yield f"| {direction}{names}{more} | {_linked(topic.kind)} | {topic.when} | {topic.notes} |"


@table
def services() -> Iterator[str]:
    """Services and actions."""
    yield "| name | type | |"
    yield "|---|---|---|"
    for _, service in sorted(SERVICES.items()):  # their order in the table depends on what was imported first
        yield f"| `{service.name}` | {_linked(service.kind)} | {service.notes} |"
    for action in ACTIONS:
        yield f"| action `{action.name}` | {_linked(action.kind)} | {action.notes} |"


def _linked(kind: type) -> str:
    """The name of a type; a type of amigobot_msgs as a link to its definition."""
    name = message_name(kind)
    package, _, plain = name.partition("/")
    return f"[{name}](messages.md#{plain.lower()})" if package == "amigobot_msgs" else name


@table
def parameters() -> Iterator[str]:
    """The parameters of the node."""
    yield "| parameter | default | allowed | at run time | |"
    yield "|---|---|---|---|---|"
    for spec in TABLE:
        change = "yes" if spec.at_run_time else "no"
        yield f"| `{spec.name}` | {_default(spec)} | {spec.range_text()} | {change} | {_escaped(spec.description)} |"


def _default(spec: Spec) -> str:
    if spec.name == "enable_stamped_cmd_vel":
        return _BY_DISTRO
    if spec.default == "":
        return "empty"
    return f"`{str(spec.default).lower() if isinstance(spec.default, bool) else spec.default}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


@table
def options() -> Iterator[str]:
    """Each option of the Python API beside the parameter of the node that sets it."""
    by_option: dict[str, list[Spec]] = {"profile": [_spec("robot"), _spec("param_file")]}
    for spec in TABLE:
        by_option.setdefault("tuning" if spec.tunes else spec.option or spec.name, []).append(spec)
    yield "| `Options(...)` | values there | parameter | values here |"
    yield "|---|---|---|---|"
    for field in dataclasses.fields(Options):
        specs = by_option[field.name]
        names = ", ".join(f"`{spec.name}`" for spec in specs)
        allowed = specs[0].range_text() if len(specs) == 1 else "text" if field.name == "profile" else "see above"
        comment = _comments(Options).get(field.name, "")
        yield f"| `{field.name}` | {comment or field.type} | {names} | {allowed} |"


def _comments(kind: type) -> dict[str, str]:
    """The `#:` comment of each name in the body of a class: behind it, or in the lines before it."""
    found, before = {}, ""
    for line in inspect.getsource(kind).splitlines():
        if match := re.match(r"    (\w+)(?:: | = )[^#]*(?:#: (.*))?$", line):
            found[match[1]] = (match[2] or before).replace("|", "\\|")
        before = f"{before} {line.strip()[3:]}".strip() if line.startswith("    #: ") else ""
    return found


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
    yield "| profile | robot | size (m) | sonars | limits | battery (V) | baud |"
    yield "|---|---|---|---|---|---|---|"
    for name in available_profiles():
        profile = load_profile(name)
        body, limits, battery = profile.body, profile.limits, profile.battery
        yield (
            f"| `{name}` | {profile.description} | {body.length:.3f} x {body.width:.3f} | {len(profile.sonar.poses)} "
            f"| {limits.linear:.2f} m/s, {limits.angular:.2f} rad/s "
            f"| {battery.low:g}, {battery.cutoff:g} | {profile.link.baud} |"
        )


@table
def launch_arguments() -> Iterator[str]:
    """The arguments of every launch file."""
    for package in ("amigobot_driver", "amigobot_navigation"):
        folder = ROOT / package / "launch"
        with launch_files.mocked_launch(folder) as load:
            for file in sorted(folder.glob("*.launch.py")):
                arguments = launch_files.declared(load(file.name.removesuffix(".launch.py")))
                yield f"## {file.name}"
                yield ""
                yield f"Package {package}."
                yield ""
                yield "| argument | default | allowed | |"
                yield "|---|---|---|---|"
                yield from (_launch_argument(name, argument) for name, argument in arguments.items())
                yield ""


def _launch_argument(name: str, argument: dict[str, Any]) -> str:
    text, is_parameter, otherwise = argument["description"].partition(". Default: the value in params_file, else ")
    default = argument.get("default_value")
    if is_parameter:
        default = f"that of `params_file`, else {_BY_DISTRO if name == 'enable_stamped_cmd_vel' else otherwise}"
    elif default is None:
        default = "must be given"
    elif default.startswith("/"):
        default = "`{}/{}`".format(*Path(default).parts[-2:])
    else:
        default = f"`{default}`" if default else "empty"
    return f"| `{name}` | {default} | {', '.join(argument.get('choices', ()))} | {_escaped(text)} |"
