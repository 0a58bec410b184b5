# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Layouts of RViz and Foxglove for a robot with any number of sonars, from those that are shipped for eight."""

from __future__ import annotations

import copy
import json
from typing import Any

import yaml

from ..resources import share
from .model import Profile


def rviz_layout(profile: Profile, frame_prefix: str = "") -> str:
    """Return the configuration of RViz for a robot; `frame_prefix` is that of its frames."""
    text = share("rviz", "amigobot.rviz").read_text(encoding="utf-8")
    # RViz puts a slash behind the prefix by itself.
    layout = yaml.safe_load(text.replace('TF Prefix: ""', f"TF Prefix: {json.dumps(frame_prefix.rstrip('/'))}"))
    displays = layout["Visualization Manager"]["Displays"]
    sonars = next(display for display in displays if display["Name"] == "Sonars")
    sonars["Displays"] = _repeated(sonars["Displays"][0], len(profile.sonar.poses))
    return yaml.safe_dump(layout, sort_keys=False)


def foxglove_layout(profile: Profile) -> str:
    """Return the layout of Foxglove for a robot."""
    layout = json.loads(share("config", "foxglove.json").read_text(encoding="utf-8"))
    plot = layout["configById"]["Plot!sonar"]
    plot["paths"] = _repeated(plot["paths"][0], len(profile.sonar.poses))
    return json.dumps(layout, indent=2) + "\n"


def _repeated(first: Any, count: int) -> list[Any]:
    """Return the entry of sonar 0 for each sonar."""
    return [_of_sonar(copy.deepcopy(first), number) for number in range(count)]


def _of_sonar(entry: Any, number: int) -> Any:
    if isinstance(entry, dict):
        return {key: _of_sonar(value, number) for key, value in entry.items()}
    if isinstance(entry, str):
        return entry.replace("range_0", f"range_{number}").replace("onar 0", f"onar {number}")
    return entry
