# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Bumpers, motor currents, floor sensors and joystick (docs/protocol 5.2, 5.4, 5.10).

Currents and floor sensors are wired to the analog and digital inputs; the profile says how.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...profiles import MAX_BUMPER_SEGMENTS
from ...protocol import Io, Joystick, Sip
from ..component import Component, Context
from ..events import BumperReading, FloorReading, JoystickReading, MotorCurrents

#: Arguments of BUMPSTALL: the rings whose contact counts as a stall of the motors.
STALLS: Mapping[str, int] = {"none": 0, "front": 1, "rear": 2, "both": 3}
#: Counts of a joystick's axis, from one end to the other.
_FULL_SCALE = 1023


class InputReader(Component):
    """Publishes what these sensors report, as far as the robot has them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.bumpers: BumperReading | None = None  #: the newest reading
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Io, self._on_io)
        context.on_packet(Joystick, self._on_joystick)

    def on_profile(self) -> None:
        """Forget what another robot reported."""
        self.bumpers = None

    @property
    def wired(self) -> bool:
        """Whether the robot has sensors that need IOpacs."""
        profile = self._context.profile()
        return bool(profile.floor.poses or profile.inputs.amps_per_count)

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        rings = self._context.profile().bumpers
        # The front ring is in the byte of the right wheel, as in earlier clients; one manual has the opposite order
        # (docs/protocol E-31).
        front = self._pressed(sip.right_stall_bumpers, rings.front_segments, "front_bumpers")
        rear = self._pressed(sip.left_stall_bumpers, rings.rear_segments, "rear_bumpers")
        if front or rear:
            self.bumpers = BumperReading(stamp, front, rear)
            self._context.emit(self.bumpers)

    def _pressed(self, byte: int, segments: int, name: str) -> tuple[bool, ...]:
        """Return the segments of a ring, as many as profile or FLASH say; bit 0 is the stall flag of the wheel."""
        config = self._context.config()
        segments = min(max(segments, (config.value(name) if config else 0) or 0), MAX_BUMPER_SEGMENTS)
        return tuple([bool(byte >> number + 1 & 1) for number in range(segments)])

    def _on_io(self, packet: Io, stamp: float, now: float) -> None:
        profile = self._context.profile()
        floor, amps = profile.floor, profile.inputs.amps_per_count
        if amps and len(packet.analog) >= 2:
            self._context.emit(MotorCurrents(stamp, *(count * amps for count in packet.analog[:2])))
        if floor.poses:
            bits = int.from_bytes(bytes(packet.digital_in), "little") >> floor.first_bit
            seen = (bool(bits >> number & 1) == floor.floor_is_high for number in range(len(floor.poses)))
            self._context.emit(FloorReading(stamp, tuple(seen)))

    def _on_joystick(self, packet: Joystick, stamp: float, now: float) -> None:
        axes = tuple(2 * count / _FULL_SCALE - 1 for count in (packet.x, packet.y, packet.throttle))
        self._context.emit(JoystickReading(stamp, axes, (bool(packet.button1), bool(packet.button2))))
