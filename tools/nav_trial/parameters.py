# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Changes Nav2's parameters for a trial: single ones, and what a simulated clock that runs fast needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

#: What Nav2 counts on the wall clock even with use_sim_time: rates, and accelerations that it divides by such a rate.
_ON_THE_WALL_CLOCK = (
    ("controller_server", "controller_frequency"),
    ("controller_server", "FollowPath", "max_angular_accel"),
    ("behavior_server", "cycle_frequency"),
    ("velocity_smoother", "smoothing_frequency"),
    ("velocity_smoother", "max_accel"),
    ("velocity_smoother", "max_decel"),
    ("local_costmap", "local_costmap", "update_frequency"),
    ("global_costmap", "global_costmap", "update_frequency"),
)
#: ms between two ticks of the behavior tree; at Nav2's 10 ms it needs more CPU than the planner.
_TREE_PERIOD = 50
#: s between two signs of life of each node; at Nav2's 0.1 s they are most of the messages.
_BOND_PERIOD = 0.5


def for_speed(content: dict[str, Any], speed: float, tree: Path) -> dict[str, Any]:
    """Multiply what Nav2 counts on the wall clock by the speed of the simulated clock, in place.

    Args:
        content: A ROS parameter file as a mapping.
        speed: Simulated seconds in a second.
        tree: File of the behavior tree to use; see `tree_for_speed`.

    Returns:
        `content`.
    """
    for *nodes, name in _ON_THE_WALL_CLOCK:
        parameters = content
        for node in nodes:
            if node == "FollowPath":
                parameters = parameters["ros__parameters"]
            parameters = parameters[node]
        parameters = parameters.get("ros__parameters", parameters)
        value = parameters[name]
        parameters[name] = [speed * one for one in value] if isinstance(value, list) else speed * value
    content.setdefault("/**", {}).setdefault("ros__parameters", {})["bond_heartbeat_period"] = _BOND_PERIOD
    navigator = content["bt_navigator"]["ros__parameters"]
    navigator["bt_loop_duration"] = _TREE_PERIOD
    navigator["default_nav_to_pose_bt_xml"] = str(tree)
    return content


def tree_for_speed(text: str, speed: float) -> str:
    """Multiply the rates of a behavior tree, which counts on the wall clock, by the speed of the simulated clock."""
    return re.sub(r'hz="([0-9.]+)"', lambda found: f'hz="{float(found[1]) * speed:g}"', text)


def override(content: dict[str, Any], assignments: list[str]) -> dict[str, Any]:
    """Set parameters, in place.

    Args:
        content: A ROS parameter file as a mapping.
        assignments: "node.parameter=value" each, with dots between the levels and the value in YAML; a costmap is
            named once: "local_costmap.width=4".

    Returns:
        `content`.
    """
    for assignment in assignments:
        path, value = assignment.split("=", 1)
        node, *levels, name = path.split(".")
        parameters = content.setdefault(node, {})
        parameters = parameters.get(node, parameters).setdefault("ros__parameters", {})
        for level in levels:
            parameters = parameters.setdefault(level, {})
        parameters[name] = yaml.safe_load(value)
    return content
