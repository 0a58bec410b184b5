"""What the launch files share: parameters as launch arguments, and parameter files fitted to a robot's names."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from .parameters import TABLE, Spec

#: The node's parameters that are launch arguments too. An empty argument keeps the value of params_file.
NAMES = (
    *("port", "baud", "robot", "param_file"),
    *("odom_frame", "base_frame", "frame_prefix", "publish_tf", "publish_scan", "enable_stamped_cmd_vel"),
)
PARAMETERS = (
    *(spec for spec in TABLE if spec.name in NAMES),
    Spec("use_sim_time", False, "take the time from /clock"),
)
#: s between the end of a process and its next start, with use_respawn. Nav2's launch files wait as long.
RESPAWN_DELAY = 2.0
#: The robot's frames, as the parameter files of other packages name them.
_ODOM_FRAME, _BASE_FRAME = "odom", "base_link"
#: Those written in C where they are installed: ten times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def given_parameters(arguments: Mapping[str, str]) -> dict[str, Any]:
    """The driver's parameters among launch arguments, without those that are empty.

    Raises:
        ValueError: A value is not allowed; the text names it and what is allowed.
    """
    return {spec.name: value_of(spec, arguments[spec.name]) for spec in PARAMETERS if arguments.get(spec.name)}


def effective_parameters(arguments: Mapping[str, str]) -> dict[str, Any]:
    """The values that the driver starts with: its defaults, then params_file, then the launch arguments.

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
    """An argument's text in the type of its parameter, checked as the node checks it."""
    if spec.kind is bool:
        return spec.check({"true": True, "false": False}.get(text.lower(), text))
    if spec.kind is int and re.fullmatch(r"[+-]?\d+", text):
        return spec.check(int(text))
    return spec.check(text)


def parameters_in(file: Path, node: str) -> dict[str, Any]:
    """The parameters in a file that apply to a node (namespace/name). As in ROS, later sections win."""
    found: dict[str, Any] = {}

    def search(content: Any, path: str) -> None:
        for key, value in content.items() if isinstance(content, dict) else ():
            if key != "ros__parameters":
                search(value, path + "".join(map(pattern, str(key).strip("/").split("/"))))
            elif re.fullmatch(path, f"/{node.strip('/')}"):
                found.update(value or {})

    def pattern(word: str) -> str:
        return {"**": "(/[^/]+)*", "*": "/[^/]+"}.get(word, f"/{re.escape(word)}")

    search(yaml.load(file.read_text(encoding="utf-8"), _LOADER), "")
    return found


def robot_frames(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The names in this robot's tree of the frames that parameter files call odom and base_link.

    Args:
        parameters: As `effective_parameters` returns them.
    """
    prefix = parameters["frame_prefix"]
    return {
        _ODOM_FRAME: f"{prefix}{parameters['odom_frame']}",
        _BASE_FRAME: f"{prefix}{parameters['base_frame']}",
    }


def fitted_file(file: Path, namespace: str, frames: Mapping[str, str]) -> str:
    """A parameter file of another package, fitted to a robot.

    Node names get the namespace. Frames are replaced. Costmap topics, which are absolute, get the namespace.

    Args:
        file: Written for a robot without a namespace, whose frames are odom and base_link.
        namespace: The robot's; empty for none.
        frames: As `robot_frames` returns them.

    Returns:
        The path of a temporary copy, or of the file itself where nothing changes.
    """
    names = [name for name in namespace.split("/") if name]
    changed = {name: frame for name, frame in frames.items() if name != frame}
    if not names and not changed:
        return str(file)

    def fit(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: fit(item, str(name)) for name, item in value.items()}
        if isinstance(value, list):
            return [fit(item, key) for item in value]
        if key.endswith(("frame", "frame_id")):
            return changed.get(value, value)
        if key == "topics" and names:
            return f"/{'/'.join(names)}{value}"
        return value

    content = fit(yaml.load(file.read_text(encoding="utf-8"), _LOADER))
    if names:
        content = {str(key).lstrip("/"): value for key, value in (content or {}).items()}
    for name in reversed(names):
        content = {name: content}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False, encoding="utf-8") as copy:
        # In the order of the file: of two sections that apply, the later one wins.
        yaml.dump(content, copy, _DUMPER, sort_keys=False)
    return copy.name
