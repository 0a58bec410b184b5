# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Show and drive a robot in a browser: live view, controls, plots, packets, simulator, recordings.

    amigobot dashboard                              a simulated robot
    amigobot dashboard "sim://amigo-sh?world=office"
    amigobot dashboard /dev/ttyUSB0                 motors stay off until you switch them on
    amigobot dashboard --ros                        through a running amigobot_node
    amigobot dashboard drive.amigo                  a recording of `amigobot record`, or a rosbag with packets
    amigobot dashboard robots.yaml --name beta      one of several simulated robots in one world
    amigobot dashboard --listen 0.0.0.0:8140        for a phone beside the robot; the address has a token

Open the address that it prints. Ctrl-C stops the robot and ends the program. The robot also stops when the page is
closed, the browser crashes or the network fails. While a node is connected to the robot, use `--ros`.
"""

from __future__ import annotations

import argparse
import asyncio

from amigobot_driver import signals
from amigobot_driver.cli import UsageError, ranges

#: Port of the page.
DEFAULT_PORT = 8140


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument(
        "source",
        nargs="?",
        default="",
        metavar="SOURCE",
        help="port (/dev/ttyUSB0, HOST:8101), sim://, a file of `amigobot record`, a rosbag, or a file as for "
        "`amigobot sim --robots` (default: sim://)",
    )
    parser.add_argument(
        "--listen",
        default=f"127.0.0.1:{DEFAULT_PORT}",
        metavar="HOST:PORT",
        help="address of the page (%(default)s); port 0: any",
    )
    parser.add_argument(
        "--name", default="", metavar="NAME", help="robot in a file or bag of several (default: the first)"
    )
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: by its identity)")
    parser.add_argument("--ros", action="store_true", help="through a running amigobot_node instead of a port")
    parser.add_argument("--namespace", default="", metavar="NAME", help="namespace of the node; implies --ros")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    # Imported here: `amigobot --help` needs no web server.
    from .access import ListenAddress
    from .server import serve
    from .sources import open_source

    listen = ListenAddress(*ranges.parse_address("--listen", args.listen, DEFAULT_PORT))
    source = open_source(
        args.source,
        profile=args.robot,
        ros=args.ros or bool(args.namespace),
        name=args.namespace or args.name,
    )
    with signals.caught() as ended:
        try:
            asyncio.run(serve(source, listen, ended))
        except OSError as error:
            raise UsageError(f"--listen {args.listen}: {error.strerror or error}; choose another port") from None
        finally:
            source.close()
    return 0
