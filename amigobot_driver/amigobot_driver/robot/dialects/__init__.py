# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dialects of the protocol: one module for each, one object for each connection.

The rest of the core uses the packets and commands of the ActivMedia robots only. A dialect translates packets into
these and commands from these, and performs the handshake. To add a dialect, add its module and a line in `dialects`.
"""

from .activmedia import ActivMediaDialect
from .dialect import Dialect, HandshakeLine, Script
from .erratic import ErraticDialect


def dialects() -> tuple[Dialect, ...]:
    """Return one object of each dialect; the first is tried first."""
    return ActivMediaDialect(), ErraticDialect()


__all__ = ["Dialect", "HandshakeLine", "Script", "dialects"]
