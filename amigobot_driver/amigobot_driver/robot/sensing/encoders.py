# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Encoder ticks: ENCODERpacs to wheel angles and, if requested, to the pose (docs/protocol 5.6, 6.1).

A tick is a thirtieth of a millimeter, a count in AmigOS's SIP half a millimeter; and the SIP's heading has 4096 units
per turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...profiles import Profile
from ...protocol import Encoders, TuningValues, signed
from ..events import EncoderReading, Event, Notice
from .odometry import CYCLE, Odometer

_COUNTER_BITS = 32  # of each wheel
#: s without an ENCODERpac after which SIPs update the pose again; the next ENCODERpac then continues from that pose.
STALE = 0.35
#: s by which the stamps of a SIP and an ENCODERpac of one cycle may differ: those of a burst of SIPs rise by 1 us each.
_SAME_CYCLE = 0.001


class WheelEncoders:
    """Converts the ENCODERpacs of one robot.

    Attributes:
        leading: The ticks move the pose; otherwise only the angles of the wheels.
        jumps: Number of counts that moved further than the wheel could have.
    """

    def __init__(self) -> None:
        self.leading = False
        self.jumps: int = 0
        self._last: Encoders | None = None
        self._stamp = -math.inf
        self._sip = -math.inf  #: s, stamp of the last SIP that an ENCODERpac came with
        self._warned = False

    def restart(self) -> None:
        """Begin with the counts of the next packet."""
        self._last = None

    def follows(self, stamp: float) -> bool:
        """Return whether ENCODERpacs arrive at this time (s), so that one belongs to this cycle."""
        return self._last is not None and stamp - self._stamp < STALE

    def update(
        self, packet: Encoders, stamp: float, odometer: Odometer, profile: Profile, config: TuningValues | None
    ) -> Iterator[Event]:
        """Convert the encoder ticks of a packet to the motion of the wheels.

        Args:
            packet: The packet.
            stamp: When the robot took its values, s.
            odometer: Of the robot; its wheel angles, or its pose, are updated.
            profile: Of the robot.
            config: Tuning values of the robot, if it has reported them.

        Returns:
            The events that it causes.
        """
        scale = profile.body.meters_per_tick(config.value("ticks_mm") if config else None)
        if math.isnan(scale) and self.leading and not self._warned:
            self._warned = True
            yield Notice(
                f"odometry is taken from SIPs: profile {profile.name} has no wheel_ticks, and the robot reports "
                "no ticks/mm; set wheel_ticks in the profile to use ENCODER packets"
            )
        if math.isnan(scale) or self._sip_is_missing(odometer, stamp):
            yield EncoderReading(stamp, packet.left, packet.right, None, self.leading)
            return
        if self._last is None or stamp - self._stamp >= STALE:
            odometer.mark()
            self._last = packet
        left = signed(packet.left - self._last.left, _COUNTER_BITS) * scale
        right = signed(packet.right - self._last.right, _COUNTER_BITS) * scale
        # The checksum does not show all damage. A packet that is left out does no harm, as SIPs move the pose. The
        # wheels of a turning robot may be faster than the robot ever drives.
        if max(abs(left), abs(right)) > odometer.reach(2 * max(stamp - self._stamp, CYCLE)):
            self.jumps += 1
            odometer.mark()
            left = right = 0.0
        self._last, self._stamp = packet, stamp
        track = profile.body.track_by(config.rev_count, scale) if config else profile.body.track
        state = odometer.apply_encoders(left, right, track, move=self.leading)
        yield EncoderReading(stamp, packet.left, packet.right, state, self.leading)

    def _sip_is_missing(self, odometer: Odometer, stamp: float) -> bool:
        """Return whether the SIP of an ENCODERpac's cycle was lost: the next pair has its motion."""
        if odometer.counters is None:
            return False
        before, (_, self._sip) = self._sip, odometer.counters
        return before == self._sip or abs(stamp - self._sip) > _SAME_CYCLE
