# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motor currents and floor sensors that are wired to the analog and digital inputs."""

from __future__ import annotations

from ...protocol import Io
from ..component import Component, Context
from ..events import FloorReading, MotorCurrents


class WiredInputs(Component):
    """Converts IOpacs by the wiring in the profile (docs/protocol 5.4)."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        context.on_packet(Io, self._on_io)

    @property
    def needed(self) -> bool:
        """Whether the robot has inputs that need IOpacs."""
        profile = self._context.profile()
        return bool(profile.floor.poses or profile.inputs.amps_per_count)

    def _on_io(self, packet: Io, stamp: float, now: float) -> None:
        profile = self._context.profile()
        floor, amps = profile.floor, profile.inputs.amps_per_count
        if amps and len(packet.analog) >= 2:
            self._context.emit(MotorCurrents(stamp, *(count * amps for count in packet.analog[:2])))
        if floor.poses:
            bits = int.from_bytes(bytes(packet.digital_in), "little") >> floor.first_bit
            seen = (bool(bits >> number & 1) == floor.floor_is_high for number in range(len(floor.poses)))
            self._context.emit(FloorReading(stamp, tuple(seen)))
