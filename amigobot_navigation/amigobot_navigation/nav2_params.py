# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Print Nav2's parameters for one robot: the start of a params_file of your own."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory

from amigobot_driver.errors import ProfileError
from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.resources import merged, read_yaml

from .nav2 import BEFORE_LYRICAL, add_laser, fit_nav2, remove_sonars

Parameters = dict[str, Any]


class _Dumper(yaml.SafeDumper):
    """Writes lists on one line, as nav2.yaml has them."""


def _on_one_line(dumper: yaml.SafeDumper, data: list[Any]) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=True)


_Dumper.add_representer(list, _on_one_line)


def main(arguments: list[str] | None = None) -> int:
    """Print the file, or say why it cannot be made; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="nav2_params",
        description="Print the parameters of Nav2 that navigation.launch.py uses for this robot, as a complete file. "
        "Change it, and give it to navigation.launch.py or to Nav2's own launch files as params_file.",
    )
    parser.add_argument("robot", help="profile of the robot: a name such as p3dx, or a .yaml or .p file")
    parser.add_argument("--laser", metavar="TOPIC", help="add a laser scanner on this topic to amcl, costmaps, monitor")
    options = parser.parse_args(arguments)
    try:
        profile = load_profile(options.robot)
        content = parameters(profile, options.laser)
    except (ProfileError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    command = " ".join(["nav2_params", options.robot, *(["--laser", options.laser] if options.laser else [])])
    print(f"# Nav2 for {profile.name}, by `{command}`. config/nav2.yaml of amigobot_navigation has the reasons.")
    print(yaml.dump(content, Dumper=_Dumper, sort_keys=False, width=120), end="")
    return 0


def parameters(profile: Profile, laser: str | None = None) -> Parameters:
    """Return the parameters for a robot and the distribution that is sourced.

    Args:
        profile: The robot.
        laser: Topic of a laser scanner; None for sonars only.

    Raises:
        ProfileError: The robot has neither sonars nor a laser.
    """
    config = Path(get_package_share_directory("amigobot_navigation"), "config")
    content: Parameters = read_yaml(config / "nav2.yaml")
    if os.environ.get("ROS_DISTRO") in BEFORE_LYRICAL:
        content = merged(read_yaml(config / "nav2_before_lyrical.yaml"), content)
    if laser:
        content = add_laser(content, laser)
        if not profile.sonar.poses:
            content = remove_sonars(content)
    return fit_nav2(content, profile)
