# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The parameters of the node as launch arguments, and in parameter files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..parameter_table import TABLE, Spec
from ..resources import read_yaml

#: Parameters of the node that `--show-args` lists as launch arguments; an empty one keeps the value of params_file.
_NAMES = (
    *("port", "baud", "bridge_baud", "robot", "param_file"),
    *("odom_frame", "base_frame", "frame_prefix", "publish_tf", "publish_scan", "enable_stamped_cmd_vel"),
)
#: All parameters: launch passes on arguments that a file does not declare, such as those of a fleet file.
PARAMETERS = (*TABLE, Spec("use_sim_time", False, "take the time from /clock"))


def _argument(spec: Spec) -> tuple[str, str, None, str]:
    """Return the launch argument of a parameter; see `launch_support.Argument`."""
    default = str(spec.default).lower() if spec.kind is bool else "empty" if spec.default == "" else spec.default
    return spec.name, "", None, f"{spec.description}. Default: the value in params_file, else {default}"


ARGUMENTS = tuple(_argument(spec) for spec in PARAMETERS if spec.name in (*_NAMES, "use_sim_time"))


def given_parameters(arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the driver parameters among the launch arguments, without empty ones.

    Raises:
        ValueError: A value is not allowed; the text names it and what is allowed.
    """
    return {spec.name: value_of(spec, arguments[spec.name]) for spec in PARAMETERS if arguments.get(spec.name)}


def effective_parameters(arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the values that the driver starts with: launch arguments override params_file, which overrides defaults.

    Args:
        arguments: Launch arguments of amigobot.launch.py; `params_file` and `namespace` must be among them.

    Raises:
        FileNotFoundError: There is no such params_file.
        ValueError: An argument has a value that is not allowed.
    """
    file = Path(arguments["params_file"])
    if not file.is_file():
        raise FileNotFoundError(f"params_file: there is no file {file}")
    values = {spec.name: spec.default for spec in PARAMETERS}
    return values | parameters_in(file, f"{arguments['namespace']}/amigobot") | given_parameters(arguments)


def value_of(spec: Spec, text: str) -> Any:
    """Convert the text of a launch argument to the type of its parameter, and check it as the node does.

    Raises:
        ValueError: The value is not allowed.
    """
    if spec.kind is bool:
        return spec.check({"true": True, "false": False}.get(text.lower(), text))
    if spec.kind in (int, float):
        with suppress(ValueError):
            return spec.check(spec.kind(text))
    return spec.check(text)


def parameters_in(file: Path, node_name: str) -> dict[str, Any]:
    """Return the parameters in a file that apply to a node. As in ROS, later sections win.

    Args:
        file: A parameter file.
        node_name: Full name of the node: "namespace/name".
    """
    found: dict[str, Any] = {}

    def search(content: Any, path: str) -> None:
        for key, value in content.items() if isinstance(content, dict) else ():
            if key != "ros__parameters":
                search(value, path + "".join(map(pattern, str(key).strip("/").split("/"))))
            elif re.fullmatch(path, f"/{node_name.strip('/')}"):
                found.update(value or {})

    def pattern(word: str) -> str:
        return {"**": "(/[^/]+)*", "*": "/[^/]+"}.get(word, f"/{re.escape(word)}")

    search(read_yaml(file), "")
    return found


def robot_frames(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return this robot's names of the frames that parameter files call odom and base_link.

    Args:
        parameters: As `effective_parameters` returns them.
    """
    prefix = parameters["frame_prefix"]
    return {"odom": f"{prefix}{parameters['odom_frame']}", "base_link": f"{prefix}{parameters['base_frame']}"}


def temporary_file(text: str, suffix: str) -> str:
    """Return the path of a new file with this text, for a process that outlives this one."""
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name
