# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drive a tour with a simulated robot, measure it, and draw a picture of it.

    amigobot demo                                   writes demo/tour.png
    amigobot demo --port /dev/ttyUSB0               a real robot: asks first, then drives a square half a meter wide

With ROS 2, the demo starts amigobot_node and publishes cmd_vel. Without ROS 2 it uses the Python API and records the
packets. It compares the odometry with the true path of the simulated robot.

Ctrl-C stops the robot and ends everything.
"""

from __future__ import annotations

import argparse
import math
from importlib.util import find_spec
from pathlib import Path

from amigobot_driver.cli import ranges


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("--port", default="", help="of a real robot: /dev/ttyUSB0, HOST:8101; else simulated")
    parser.add_argument(
        "--seconds", type=ranges.duration, default=math.inf, metavar="S", help="drive no longer than this"
    )
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="where to write (%(default)s)")
    parser.add_argument(
        "--ros", action=argparse.BooleanOptionalAction, help="with ROS 2, or without (default: with it where it is)"
    )


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    of_ros = ("rclpy", "amigobot_msgs")
    ros = all(map(find_spec, of_ros)) if args.ros is None else args.ros
    for library in ("matplotlib", *(of_ros if ros else ())):
        if find_spec(library) is None:
            raise ImportError(name=library)  # the command line says how to install it
    from .demo import run_demo

    run_demo(args.out.resolve(), args.port, args.seconds, ros=ros)
    return 0
