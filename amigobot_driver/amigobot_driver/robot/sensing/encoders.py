"""The wheels' own counts: ENCODERpacs to angles and, where wanted, to the pose (docs/protocol.md 5.6, 6.1).

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
#: s without an ENCODERpac after which the SIPs tell the pose again; the next packet then counts from where it is.
STALE = 0.35
#: How far the track that RevCount says may be from the profile's to be believed, as a share of it.
_SAME_TRACK = 0.2


class WheelEncoders:
    """Takes the ENCODERpacs of one robot. `leading`: the pose follows the ticks, else only the wheels' angles do."""

    def __init__(self) -> None:
        self.leading = False
        self.jumps: int = 0  #: times a count moved further than the wheel could have
        self._last: Encoders | None = None
        self._stamp = -math.inf
        self._told = False

    def restart(self) -> None:
        """The counts may be any at the next packet."""
        self._last = None

    def leads(self, stamp: float) -> bool:
        """Whether ENCODERpacs, not SIPs, tell the pose at this time."""
        return self.leading and self.follows(stamp)

    def follows(self, stamp: float) -> bool:
        """Whether ENCODERpacs come, so that the one of this cycle is worth waiting for."""
        return self._last is not None and stamp - self._stamp < STALE

    def update(
        self, packet: Encoders, stamp: float, odometer: Odometer, profile: Profile, config: Parameters | None
    ) -> Iterator[Event]:
        """Take a packet with the counts of the time `stamp`."""
        scale = metres_per_tick(profile, config)
        if scale is None:
            if self.leading and not self._told:
                self._told = True
                yield Notice(
                    f"odometry from SIPs: profile {profile.name} has no wheel_ticks, the robot says no ticks/mm"
                )
            yield EncoderReading(stamp, packet.left, packet.right, None)
            return
        if self._last is None or stamp - self._stamp >= STALE:
            odometer.fix()
            self._last = packet
        left = difference(packet.left, self._last.left, _COUNTER) * scale
        right = difference(packet.right, self._last.right, _COUNTER) * scale
        if self._jumped(left, right, stamp, odometer):
            self.jumps += 1
            odometer.fix()
            left = right = 0.0
        self._last, self._stamp = packet, stamp
        state = odometer.roll(left, right, track(profile, config, scale), move=self.leading)
        yield EncoderReading(stamp, packet.left, packet.right, state)

    def _jumped(self, left: float, right: float, stamp: float, odometer: Odometer) -> bool:
        """Whether the ticks (m) are far from what the wheels' velocities say. A mistake does no harm: the SIPs lead."""
        seconds = max(stamp - self._stamp, CYCLE) if self._stamp > -math.inf else CYCLE
        state = odometer.state
        return any(
            abs(way - velocity * seconds) > 1.5 * abs(velocity) * seconds + MARGIN
            for way, velocity in ((left, state.left_velocity), (right, state.right_velocity))
        )


def metres_per_tick(profile: Profile, config: Parameters | None) -> float | None:
    """What the firmware says, else what the profile says; None where neither does."""
    if config and (ticks := config.value("ticks_mm")):
        return 1e-3 / ticks
    if profile.body.wheel_ticks:
        return math.pi * profile.body.wheel_diameter / profile.body.wheel_ticks
    return None


def track(profile: Profile, config: Parameters | None, scale: float) -> float:
    """The track (m) that RevCount means, so that a calibrated one counts: (R - L) / 2 in a turn.

    Source: docs/protocol.md E-19.

    The profile's where the firmware says nothing, or something so different that it must mean another thing.
    """
    if config:
        said = config.rev_count * scale / math.pi
        if abs(said / profile.body.track - 1) < _SAME_TRACK:
            return said
    return profile.body.track
