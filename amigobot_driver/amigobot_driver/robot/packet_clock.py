# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Estimates when the robot took the values of a packet: all packets of an info cycle have the time of its start.

The order within a cycle is GYROpac, SIP, then the others (docs/protocol 8.3). Only the SIP comes in every cycle, so
the SIPs count the cycles, and every other packet is of the cycle that began last before it was sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..protocol import BAUD_RATES, BITS_PER_BYTE, Encoders, Gyro, Packet, Sip
from .component import Context
from .cycle_filter import CycleFilter
from .sensing.odometry import CYCLE

#: s between the stamps of two SIPs at least: those of a burst may get the same time, and a velocity needs a time span.
_MIN_STEP = 1e-6
#: s between two frames that the robot sent back to back.
_BACK_TO_BACK = 0.005
#: s of a byte on a line of unknown speed: the slowest.
_SLOWEST = BITS_PER_BYTE / BAUD_RATES[0]


class PacketClock:
    """Gives all packets of an info cycle the time at which the cycle began."""

    def __init__(self, context: Context, pose_age: Callable[[], float]) -> None:
        """Make a clock.

        Args:
            context: The robot's.
            pose_age: Returns s by which a pose is older than its cycle, as the robot reports.
        """
        self._context = context
        self._pose_age = pose_age
        self._reported_cycle = CYCLE
        self._filter = CycleFilter(CYCLE)
        self._gyro = -math.inf  #: s, when the last GYROpac was sent
        self._sip_by = -math.inf  #: s, a SIP that was sent before this time belongs to the cycle of that GYROpac
        self._last_stamp = -math.inf  #: s, of the last SIP

    @property
    def cycle(self) -> float:
        """Time in s between two SIPs at the robot, as measured."""
        return self._filter.cycle

    def restart(self) -> None:
        """Count the cycles anew: a session was opened."""
        self._filter.restart()

    def measurement_time(self, packet: Packet, stamp: float, size: int) -> float:
        """Return the time (s) at which the robot took the values of a packet.

        Args:
            packet: A packet of the session.
            stamp: Time in s at which its first byte was sent.
            size: Bytes of its frame.
        """
        if isinstance(packet, Sip):
            return self._on_sip(stamp)
        if isinstance(packet, Encoders):
            return self._filter.latest(stamp, first=False) - self._pose_age()
        gyro = isinstance(packet, Gyro)
        if gyro:
            self._gyro, self._sip_by = stamp, stamp + size * (self._context.queue.byte_time or _SLOWEST) + _BACK_TO_BACK
        return self._filter.latest(stamp, first=gyro)

    def _on_sip(self, stamp: float) -> float:
        reported = self._context.info_cycle
        if reported != self._reported_cycle:
            self._reported_cycle, self._filter = reported, CycleFilter(reported)
        began = self._filter.observe(self._gyro if stamp < self._sip_by else stamp)
        self._sip_by = -math.inf
        self._last_stamp = max(began - self._pose_age(), self._last_stamp + _MIN_STEP)
        return self._last_stamp
