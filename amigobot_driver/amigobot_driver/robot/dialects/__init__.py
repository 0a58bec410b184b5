# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The protocol of each firmware family: one module for each dialect, one object for each connection.

The rest of the core uses the packets and commands of the ActivMedia family only. A dialect translates packets into
these and commands from these, and performs the handshake. To add a dialect, add its module and a line in `dialects`.
"""

from .dialect import Dialect, HandshakeLine, Script
from .erratic import Erratic
from .family import Family


def dialects() -> tuple[Dialect, ...]:
    """Return one object of each dialect; the first is tried first."""
    return Family(), Erratic()


__all__ = ["Dialect", "HandshakeLine", "Script", "dialects"]
