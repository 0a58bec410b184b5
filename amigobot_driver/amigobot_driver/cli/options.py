"""The options of every verb that say which robot, and the connection that they make."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..api import AmigoBot

DEFAULT_PORT = "sim://"


def add_robot_arguments(parser: argparse.ArgumentParser, *, default: str = DEFAULT_PORT) -> None:
    """Add `--port`, `--robot` and `--timeout`.

    Args:
        parser: Parser of the verb.
        default: What the verb takes without `--port`, for the help.
    """
    group = parser.add_argument_group("which robot")
    group.add_argument(
        "--port",
        metavar="PORT",
        help=f"/dev/ttyUSB0, socket://HOST:8101, or sim:// for a simulated robot (default: {default})",
    )
    group.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: as the robot says)")
    group.add_argument("--timeout", type=float, default=10.0, metavar="S", help="wait for the robot (%(default)g s)")


def connect(args: argparse.Namespace, **options: bool) -> AmigoBot:
    """Connect to the robot of the arguments; its motors are left as they are.

    Args:
        args: With the arguments of `add_robot_arguments`.
        options: Further options of the driver.

    Raises:
        AmigoBotError: There is no robot; the message says why.
    """
    # Imported here: `amigobot --help` and other verbs do not need it.
    from ..api import AmigoBot
    from ..robot import Options

    chosen = Options(profile=args.robot, motors_on_connect=False, **options)  # type: ignore[arg-type]
    return AmigoBot(args.port or DEFAULT_PORT, timeout=args.timeout, options=chosen)
