"""What robots wire to their own analog and digital inputs: the motors' currents, sensors that look at the floor."""

from __future__ import annotations

from collections.abc import Iterator

from ...profiles import Profile
from ...protocol import Io
from ..events import Event, FloorSensed, MotorCurrents


class Inputs:
    """Reads IOpacs as the robot's profile says they are wired (PROTOCOL 5.4, 5.14)."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    @property
    def needed(self) -> bool:
        """Whether IOpacs are wanted for what is here."""
        return bool(self.profile.floor.poses or self.profile.inputs.amps_per_count)

    def perceive(self, packet: Io, stamp: float) -> Iterator[Event]:
        """Take a packet with the values of the time `stamp`."""
        floor, amps = self.profile.floor, self.profile.inputs.amps_per_count
        if amps and len(packet.analog) >= 2:
            yield MotorCurrents(stamp, *(count * amps for count in packet.analog[:2]))
        if floor.poses:
            bits = int.from_bytes(bytes(packet.digital_in), "little") >> floor.first_bit
            yield FloorSensed(
                stamp, tuple(bool(bits >> number & 1) == floor.floor_is_high for number in range(len(floor.poses)))
            )
