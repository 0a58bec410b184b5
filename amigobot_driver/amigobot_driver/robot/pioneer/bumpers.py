"""Rings of contact switches around a Pioneer: which segments something presses (PROTOCOL 5.2, 4.1 BUMPSTALL)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...profiles import Profile
from ...protocol import Packet, Parameters, Sip
from ..events import BumpersFelt, Event

#: What a touch does, by the argument of BUMPSTALL: the rings whose contact counts as a stall of the motors.
STALLS: Mapping[str, int] = {"none": 0, "front": 1, "rear": 2, "both": 3}
#: Segments that the bits of one ring have room for.
_MOST = 7


class Bumpers:
    """Reads the bits behind those of the wheels' stalls."""

    def __init__(self, profile: Profile) -> None:
        self.felt: BumpersFelt | None = None  #: the newest
        self._config: Parameters | None = None
        self.adopt(profile)

    def adopt(self, profile: Profile) -> None:
        """The robot is of this profile."""
        self._profile = profile
        self.felt = self._config = None

    @property
    def segments(self) -> tuple[int, int]:
        """Of the front and the rear ring; the profile's, or more where the robot's FLASH says so."""
        rings, config = self._profile.bumpers, self._config
        front = config.value("front_bumpers") if config else None
        rear = config.value("rear_bumpers") if config else None
        return min(_MOST, max(rings.front_segments, front or 0)), min(_MOST, max(rings.rear_segments, rear or 0))

    def perceive(self, packet: Packet, stamp: float) -> Iterator[Event]:
        """Take a packet with the values of the time `stamp`.

        The front ring is in the byte of the right wheel, as those programs have it that drove such robots, whatever one
        manual says (erratum E-31).
        """
        if isinstance(packet, Parameters):
            self._config = packet
        elif isinstance(packet, Sip):
            front, rear = self.segments
            if front or rear:
                self.felt = BumpersFelt(
                    stamp, _bits(packet.right_stall_bumpers, front), _bits(packet.left_stall_bumpers, rear)
                )
                yield self.felt


def _bits(byte: int, segments: int) -> tuple[bool, ...]:
    """Bit 0 is the wheel's."""
    return tuple(bool(byte >> number + 1 & 1) for number in range(segments))
