# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The types of numeric options: each has a range, and NaN, infinity and what is outside are refused with it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from ..wording import wrong_type
from .usage_error import UsageError

_DAY = 86400  #: s


def number(low: float, high: float, unit: str = "", *, whole: bool = False) -> Callable[[str], float]:
    """Return the type of an option: a number from `low` to `high`, with `whole` a whole one."""
    kind: Callable[[str], float] = int if whole else float
    allowed = f"a {'whole ' if whole else ''}number from {low} to {high} {unit}".rstrip()

    def parsed(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"is {text!r:.40}, allowed: {allowed}")
        return value

    return parsed


def add_number(
    parser: argparse.ArgumentParser, flag: str, kind: Callable[[str], float], default: float, unit: str, text: str
) -> None:
    """Add an option with a number in a unit; the help has both."""
    shown = f"{text} (%(default)g {unit})"
    parser.add_argument(flag, type=kind, default=default, metavar=unit.upper(), help=shown)


def parse_address(option: str, text: str, example: int) -> tuple[str, int]:
    """Parse HOST:PORT, [IPv6]:PORT, or PORT for this computer only, of something that listens there.

    Args:
        option: Has the address, for the message.
        text: The address.
        example: A port for the message.

    Raises:
        UsageError: The text has another form.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not int(port) < 65536:
        raise UsageError(wrong_type(option, text, f"HOST:PORT, for example 127.0.0.1:{example}"))
    return host.strip("[]") or "127.0.0.1", int(port)


duration = number(0.01, _DAY, "s")
timeout = number(0.1, 3600, "s")
speed = number(0.02, 5, "m/s")
turn_rate = number(0.02, 10, "rad/s")
#: speed of a replay
rate = number(0.01, 100, "times the recorded speed")
