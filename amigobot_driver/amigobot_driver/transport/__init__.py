# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Ports: byte streams to a robot, uninterpreted. One module for each kind, and one exception, `PortError`."""

import os
import re
from glob import has_magic

from ..errors import PortError
from .port import Port

__all__ = ["Port", "PortError", "is_address", "open_port"]

#: A host, also an IPv6 address in brackets, and its TCP port.
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+):\d+")


def is_address(url: str) -> bool:
    """Return whether a port is a HOST:PORT, as RosAria's users write it; a file of that name comes first."""
    return _ADDRESS.fullmatch(url) is not None and not os.path.exists(url)


def open_port(url: str, baud: int) -> Port:
    """Open a port by its URL.

    Args:
        url: `/dev/ttyUSB0` or another URL of pyserial, a pattern such as `/dev/ttyUSB*`, `host:port` or
            `socket://host:port`, or `sim://` for a simulated robot in this process (`sim://amigo-sh?world=office&seed=1`).
        baud: Line speed of a serial port.

    Raises:
        PortError: The URL is malformed, or the port cannot be opened.
    """
    scheme = url.partition("://")[0] if "://" in url else ""
    if not url or not url.isprintable():
        raise PortError(f"the port is {url!r}; allowed: /dev/ttyUSB0, host:port, rfc2217://host:port, sim://")
    if scheme == "sim":
        # Loads the simulator only when it is used.
        from .simulated import SimulatedPort

        return SimulatedPort(url)
    if scheme == "socket" or is_address(url):
        from .tcp import TcpPort

        return TcpPort(url)
    from .serial import SerialPort, open_match

    return open_match(url, baud) if not scheme and has_magic(url) else SerialPort(url, baud)
