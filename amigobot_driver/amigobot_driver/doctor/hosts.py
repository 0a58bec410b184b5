# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Names and TCP ports of hosts."""

from __future__ import annotations

import errno
import socket
from pathlib import Path

from ..transport.tcp import DEFAULT_TCP_PORT

#: s in which a host must accept a connection.
_REACH = 2.0
#: TCP ports of serial bridges besides the default: MobileSim's next robots, Moxa, Lantronix, ser2net, Digi, telnet.
USUAL_PORTS = (DEFAULT_TCP_PORT, 8102, 8103, 4001, 10001, 14001, 2000, 2101, 3001, 5000, 23)


def resolve(host: str) -> set[str]:
    """Return the IP addresses of a host.

    Raises:
        OSError: The name has no address.
    """
    try:
        return {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except UnicodeError as error:
        raise OSError(errno.EINVAL, "it is not the name of a host") from error


def has_address(host: str) -> bool:
    """Return whether a name has an address."""
    try:
        return bool(resolve(host))
    except OSError:
        return False


def known_names(file: Path = Path("/etc/hosts")) -> list[str]:
    """Return the names of hosts that this computer knows by itself."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [name for line in lines for name in line.partition("#")[0].split()[1:]]


def attempt(host: str, tcp_port: int) -> int:
    """Connect to a TCP port and close the connection.

    Returns:
        0, or the number of the error.
    """
    try:
        with socket.create_connection((host, tcp_port), _REACH):
            return 0
    except OSError as error:
        return error.errno or errno.ETIMEDOUT
