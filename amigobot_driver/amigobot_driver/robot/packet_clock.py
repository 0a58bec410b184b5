"""When the robot took the values of a packet: those of one info cycle at once, though the line carries them in turn.

The order within a cycle is GYROpac, SIP, then the others (docs/protocol.md 8.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..protocol import BAUD_RATES, OVERHEAD, Gyro, Packet, Sip

#: s between the stamps of two SIPs at least: those of a heap may seem to be of one moment, and a twist needs a time.
_MOMENT = 1e-6
#: s between two frames that the robot sent in one go.
_BACK_TO_BACK = 0.005
#: s a byte takes at most, on a line of unknown speed.
_SLOWEST = 10 / BAUD_RATES[0]


class PacketClock:
    """Gives all packets of an info cycle the same time."""

    def __init__(self, byte_time: Callable[[], float], info_cycle: Callable[[], float]) -> None:
        """Args: `byte_time` returns s for each byte on the line, `info_cycle` s between two SIPs."""
        self._byte_time = byte_time
        self._info_cycle = info_cycle
        self._cycle = -math.inf  #: s, when the packets of this info cycle were made
        self._sip_by = -math.inf  #: s, a SIP by then belongs to this cycle
        self._last_sip = -math.inf  #: s, its time

    def measured(self, packet: Packet, stamp: float) -> float:
        """The time (s) at which the robot took the values of a packet that was sent at `stamp`."""
        if isinstance(packet, Sip):
            cycle = self._cycle if stamp < self._sip_by else stamp
            self._cycle = self._last_sip = max(cycle, self._last_sip + _MOMENT)
            self._sip_by = -math.inf
        elif isinstance(packet, Gyro):
            size = len(packet.encode()) + OVERHEAD
            self._cycle, self._sip_by = stamp, stamp + size * (self._byte_time() or _SLOWEST) + _BACK_TO_BACK
        elif stamp - self._cycle >= self._info_cycle():
            return stamp
        return self._cycle
