# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The joystick of a Pioneer: JOYSTICKpacs to axes and buttons (docs/protocol 5.10)."""

from __future__ import annotations

from ...protocol import Joystick
from ..component import Component, Context
from ..events import JoystickReading

#: Counts of an axis, from one end to the other.
_FULL_SCALE = 1023


class JoystickReader(Component):
    """Publishes each JOYSTICKpac."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        context.on_packet(Joystick, self._on_joystick)

    def _on_joystick(self, packet: Joystick, stamp: float, now: float) -> None:
        axes = tuple(2 * count / _FULL_SCALE - 1 for count in (packet.x, packet.y, packet.throttle))
        self._context.emit(JoystickReading(stamp, axes, (bool(packet.button1), bool(packet.button2))))
