"""Encoder ticks: ENCODERpacs to wheel angles and, if requested, to the pose (docs/protocol.md 5.6, 6.1).

A tick is a thirtieth of a millimetre, a count in AmigOS's SIP half a millimetre; and the SIP's heading has 4096 steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...profiles import Profile
from ...protocol import Encoders, Parameters
from ..events import EncoderReading, Event, Notice
from .odometry import CYCLE, MARGIN, Odometer, difference

_COUNTER = 1 << 32
#: s without an ENCODERpac after which SIPs update the pose again; the next ENCODERpac then continues from that pose.
STALE = 0.35
#: Largest difference between the track by RevCount and that of the profile, as a share of it.
_SAME_TRACK = 0.2


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
        self._warned = False

    def restart(self) -> None:
        """Begin with the counts of the next packet."""
        self._last = None

    def leads(self, stamp: float) -> bool:
        """Return whether ENCODERpacs, not SIPs, update the pose at this time (s)."""
        return self.leading and self.follows(stamp)

    def follows(self, stamp: float) -> bool:
        """Return whether ENCODERpacs arrive at this time (s), so that one belongs to this cycle."""
        return self._last is not None and stamp - self._stamp < STALE

    def update(
        self, packet: Encoders, stamp: float, odometer: Odometer, profile: Profile, config: Parameters | None
    ) -> Iterator[Event]:
        """Convert a packet with the counts of the time `stamp` (s).

        Args:
            packet: The packet.
            stamp: When the robot took its values, s.
            odometer: Of the robot; its wheel angles, or its pose, are updated.
            profile: Of the robot.
            config: Working values of the robot, if it has reported them.

        Returns:
            The events that it causes.
        """
        scale = metres_per_tick(profile, config)
        if scale is None:
            if self.leading and not self._warned:
                self._warned = True
                yield Notice(
                    f"odometry from SIPs: profile {profile.name} has no wheel_ticks, the robot reports no ticks/mm"
                )
            yield EncoderReading(stamp, packet.left, packet.right, None, self.leading)
            return
        if self._last is None or stamp - self._stamp >= STALE:
            odometer.mark()
            self._last = packet
        left = difference(packet.left, self._last.left, _COUNTER) * scale
        right = difference(packet.right, self._last.right, _COUNTER) * scale
        if self._jumped(left, right, stamp, odometer):
            self.jumps += 1
            odometer.mark()
            left = right = 0.0
        self._last, self._stamp = packet, stamp
        state = odometer.apply_encoders(left, right, track(profile, config, scale), move=self.leading)
        yield EncoderReading(stamp, packet.left, packet.right, state, self.leading)

    def _jumped(self, left: float, right: float, stamp: float, odometer: Odometer) -> bool:
        """Return whether the ticks (m) contradict the wheel velocities. A mistake does no harm: SIPs move the pose."""
        seconds = max(stamp - self._stamp, CYCLE) if self._stamp > -math.inf else CYCLE
        state = odometer.state
        return any(
            abs(way - velocity * seconds) > 1.5 * abs(velocity) * seconds + MARGIN
            for way, velocity in ((left, state.left_velocity), (right, state.right_velocity))
        )


def metres_per_tick(profile: Profile, config: Parameters | None) -> float | None:
    """Return m for each tick by the firmware, else by the profile; None if neither has it."""
    if config and (ticks := config.value("ticks_mm")):
        return 1e-3 / ticks
    if profile.body.wheel_ticks:
        return math.pi * profile.body.wheel_diameter / profile.body.wheel_ticks
    return None


def track(profile: Profile, config: Parameters | None, scale: float) -> float:
    """The track (m) that RevCount means, so that a calibrated one counts: (R - L) / 2 in a turn.

    Source: docs/protocol.md E-19.

    The profile's track if the firmware reports none, or one that differs too much to be the same quantity.
    """
    if config:
        said = config.rev_count * scale / math.pi
        if abs(said / profile.body.track - 1) < _SAME_TRACK:
            return said
    return profile.body.track
