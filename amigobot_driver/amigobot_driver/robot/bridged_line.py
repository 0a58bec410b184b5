# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial line behind a network bridge: a TCP connection does not show its speed, or whether there is one.

The speed is the parameter `bridge_baud`, or that of robots whose profile says that they come with a bridge. A simulator
on TCP has no such line. An answer that arrives sooner than its own bytes take on the line disproves the line; a bridge
only adds delay, so a line that is there is never disproved.
"""

from __future__ import annotations

import math

from ..protocol import BAUD_RATES, OVERHEAD, Command, Instruction, Parameters, Unlisted
from .component import Component, Context
from .events import Notice

#: The value of `bridge_baud` that leaves the speed to the profile and to what the robot reports.
AUTOMATIC = -1
#: Bits on the line for one byte: start, eight data, stop.
_BITS = 10
#: Share of the calculated time that an answer needs at least: the clocks of both ends differ.
_TOLERANCE = 0.9


class BridgedLine(Component):
    """Determines the time of a byte between the robot and this computer, on any kind of port."""

    def __init__(self, context: Context, baud: int) -> None:
        """Use `baud` behind a bridge: a speed, 0 for no line, AUTOMATIC."""
        super().__init__(context)
        self.chosen = baud
        self._port_byte_time: float | None = 0.0
        self._reported = 0  #: baud of the robot's serial port, as it reports
        self._disproved = False  #: on this connection
        self._asked = math.inf  #: s, when the first CONFIG of this session was sent
        self._answered = False
        context.on_packet(Parameters, self._on_config)
        context.on_sent(Command.CONFIG, self._on_config_sent)

    @property
    def byte_time(self) -> float:
        """Time in s that one byte takes on the line; 0 where there is no line."""
        if self._port_byte_time is not None:
            return self._port_byte_time
        baud = 0 if self._disproved else self._bridge_baud
        return _BITS / baud if baud else 0.0

    @property
    def baud(self) -> int:
        """Speed of the line in baud; 0 where there is none."""
        return round(_BITS / self.byte_time) if self.byte_time else 0

    def on_byte_time(self, byte_time: float | None) -> None:
        """Use the speed of a port that was opened or changed its speed.

        Args:
            byte_time: Time in s that one byte takes on the port; 0: no time, None: the port does not know it.
        """
        self._port_byte_time = byte_time
        self._disproved = False

    def on_session_start(self, now: float) -> None:
        """Measure the next answer to CONFIG."""
        self._asked, self._answered = math.inf, False

    def _on_config_sent(self, command: Instruction | Unlisted, now: float) -> None:
        self._asked = min(self._asked, now)

    def _on_config(self, config: Parameters, stamp: float, now: float) -> None:
        code = config.value("host_baud")
        self._reported = BAUD_RATES[code] if code is not None and 0 <= code < len(BAUD_RATES) else 0
        # Only the first answer: later ones may belong to an earlier request than the last.
        if not self._answered and self._asked < math.inf and self._port_byte_time is None:
            self._verify(len(config.encode()) + OVERHEAD, now - self._asked)
        self._answered = True

    def _verify(self, size: int, elapsed: float) -> None:
        """Discard the line if it cannot have carried an answer of `size` bytes in `elapsed` s."""
        if elapsed < _TOLERANCE * size * self.byte_time:
            baud, self._disproved = self.baud, True
            message = (
                f"there is no serial line of {baud} baud behind this connection: {size} bytes arrived "
                f"{elapsed * 1000:.0f} ms after they were requested. Set bridge_baud to 0 for a simulator, or to the "
                "speed of the line"
            )
            self._context.emit(Notice(message, trouble=self.chosen != AUTOMATIC))

    @property
    def _bridge_baud(self) -> int:
        if self.chosen != AUTOMATIC:
            return self.chosen
        profile_baud = self._context.profile().link.bridge_baud
        return profile_baud and (self._reported or profile_baud)
