"""Print the complete profile of a robot, or its model as URDF.

    amigobot describe amigo-sh > mine.yaml
    amigobot describe my_robot.p --urdf > my_robot.urdf

The printed profile includes inherited values. A changed copy of it can be used as the parameter `robot`.
"""

from __future__ import annotations

import argparse

from ..profiles import ProfileError, available_profiles, load_profile
from ..profiles.description import profile_yaml, robot_description
from .errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    known = ", ".join(available_profiles())
    parser.add_argument("robot", nargs="?", default="amigo", help=f"{known}, or a file (.yaml, .p); default: amigo")
    parser.add_argument("--urdf", action="store_true", help="print URDF for robot_state_publisher; needs xacro")
    parser.add_argument("--base-frame", default="base_link", help="root frame of the model; default: base_link")


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status."""
    try:
        profile = load_profile(args.robot)
        text = robot_description(profile, args.base_frame) if args.urdf else profile_yaml(profile)
    except ProfileError as error:
        raise UsageError(str(error)) from None
    print(text, end="")
    return 0
