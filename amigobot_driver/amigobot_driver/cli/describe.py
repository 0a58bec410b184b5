# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Print the complete profile of a robot, its model as URDF, or a layout of RViz or Foxglove with its sonars.

    amigobot describe amigo-sh > mine.yaml
    amigobot describe my_robot.p --urdf > my_robot.urdf
    amigobot describe p3at --foxglove > p3at.json

The printed profile includes inherited values. A changed copy of it can be used as the parameter `robot`.
"""

from __future__ import annotations

import argparse

from ..profiles import Profile, available_profiles, load_profile
from ..profiles.description import profile_yaml, robot_description
from ..profiles.layouts import foxglove_layout, rviz_layout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    known = ", ".join(available_profiles())
    parser.add_argument("robot", nargs="?", default="amigo", help=f"{known}, or a file (.yaml, .p); default: amigo")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--urdf", action="store_true", help="print URDF for robot_state_publisher; needs xacro")
    output.add_argument("--rviz", action="store_true", help="print a configuration of RViz")
    output.add_argument("--foxglove", action="store_true", help="print a layout of Foxglove")
    parser.add_argument("--base-frame", default="base_link", help="root frame of the model; default: base_link")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    print(_text(load_profile(args.robot), args), end="")
    return 0


def _text(profile: Profile, args: argparse.Namespace) -> str:
    if args.urdf:
        return robot_description(profile, args.base_frame)
    if args.rviz:
        return rviz_layout(profile)
    return foxglove_layout(profile) if args.foxglove else profile_yaml(profile)
