# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Adapts the names of nodes, topics and frames in a parameter file to a robot that has its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from amigobot_driver.resources import read_yaml
from amigobot_driver.ros.launch_parameters import temporary_file


def fitted_file(file: Path, namespace: str, frames: Mapping[str, str]) -> str:
    """Adapt a parameter file of another package to a robot.

    Node names and absolute costmap topics get the namespace; nodes that have it already stay. Frames are replaced.

    Args:
        file: Written for a robot without a namespace, whose frames are odom and base_link.
        namespace: The robot's; empty for none.
        frames: As `robot_frames` returns them.

    Returns:
        The path of a temporary copy, or of the file itself if nothing changes.
    """
    names = [name for name in namespace.split("/") if name]
    namespace = "".join(f"/{name}" for name in names)
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
        if key == "topics" and str(value).startswith("/"):
            return f"{namespace}{value}"
        return value

    content = fit(read_yaml(file))
    if names:
        nodes = {f"/{str(key).strip('/')}": value for key, value in (content or {}).items()}
        named = {key: value for key, value in nodes.items() if f"{key}/".startswith(f"{namespace}/")}
        content = {key.lstrip("/"): value for key, value in nodes.items() if key not in named}
        for name in reversed(names):
            content = {name: content}
        content |= named
    # Keep the order of the file: of two sections that apply, the later one wins.
    return temporary_file(yaml.safe_dump(content, sort_keys=False), ".yaml")
