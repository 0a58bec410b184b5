# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A port by a name pattern (/dev/ttyUSB*, /dev/serial/by-id/*), for an adapter that changes its name."""

from __future__ import annotations

from glob import glob, has_magic

from ..errors import PortError
from .serial import SerialPort


def is_pattern(url: str) -> bool:
    """Whether a URL is a pattern of port names."""
    return "://" not in url and has_magic(url)


def open_match(pattern: str, baud: int) -> SerialPort:
    """Open the first matching port that can be opened, in alphabetical order.

    Raises:
        PortError: No port matches, or none can be opened.
    """
    names = sorted(glob(pattern))
    errors = []
    for name in names:
        try:
            return SerialPort(name, baud)
        except PortError as error:
            errors.append(str(error))
    if not errors:
        raise PortError(
            f"{pattern}: no port matches; is the adapter plugged in? `ls /dev/serial/by-id` lists the ports"
        )
    others = f" (no port that matches {pattern} opens, tried: {len(errors)})" if len(errors) > 1 else ""
    raise PortError(errors[0] + others)
