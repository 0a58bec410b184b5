# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial line behind a network bridge: a TCP connection does not show its speed, or whether there is one.

The speed is the parameter `bridge_baud`, or that of robots whose profile says that they come with a bridge. A simulator
on TCP has no such line: set it to 0 there.
"""

from __future__ import annotations

from ..protocol import BITS_PER_BYTE
from .component import Context

#: The value of `bridge_baud` that leaves the speed to the profile and to what the robot reports.
AUTOMATIC = -1


class BridgedLine:
    """Determines the time of a byte between the robot and this computer, on any kind of port."""

    def __init__(self, context: Context, baud: int) -> None:
        """Use `baud` behind a bridge: a speed, 0 for no line, AUTOMATIC."""
        self.requested_baud = baud
        self._context = context
        #: s that one byte takes on the port; 0: no time, None: the port does not know it
        self.port_byte_time: float | None = 0.0

    @property
    def byte_time(self) -> float:
        """Time in s that one byte takes on the line; 0 where there is no line."""
        if self.port_byte_time is not None:
            return self.port_byte_time
        return BITS_PER_BYTE / self._bridge_baud if self._bridge_baud else 0.0

    @property
    def baud(self) -> int:
        """Speed of the line in baud; 0 where there is none."""
        return round(BITS_PER_BYTE / self.byte_time) if self.byte_time else 0

    @property
    def _bridge_baud(self) -> int:
        if self.requested_baud != AUTOMATIC:
            return self.requested_baud
        config, profile_baud = self._context.config(), self._context.profile().link.bridge_baud
        return profile_baud and ((config.baud("host_baud") if config else 0) or profile_baud)
