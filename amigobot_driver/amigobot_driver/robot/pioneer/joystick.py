"""The joystick that may be plugged into a Pioneer: JOYSTICKpacs to axes and buttons (PROTOCOL 5.10)."""

from __future__ import annotations

from collections.abc import Iterator

from ...protocol import Joystick, Packet
from ..events import Event, JoystickMoved

#: Counts of an axis, from one end to the other.
_FULL = 1023


def perceive(packet: Packet, stamp: float) -> Iterator[Event]:
    """Take a packet with the values of the time `stamp`."""
    if isinstance(packet, Joystick):
        axes = tuple(2 * count / _FULL - 1 for count in (packet.x, packet.y, packet.throttle))
        yield JoystickMoved(stamp, axes, (bool(packet.button1), bool(packet.button2)))
