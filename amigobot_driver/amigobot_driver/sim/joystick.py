# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The joystick that can be connected to a Pioneer (docs/protocol 5.10). Only tests move it."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol import Joystick


@dataclass(slots=True)
class JoystickModel:
    """State of the joystick: axes and throttle from -1 to 1."""

    x: float = 0.0
    y: float = 0.0
    throttle: float = -1.0
    buttons: tuple[bool, bool] = (False, False)

    def packet(self) -> Joystick:
        """Return JOYSTICKpac."""
        return Joystick(
            button1=self.buttons[0],
            button2=self.buttons[1],
            x=_counts(self.x),
            y=_counts(self.y),
            throttle=_counts(self.throttle),
        )


def _counts(value: float) -> int:
    """Convert -1 to 1 to 0 to 1023."""
    return round((max(-1.0, min(1.0, value)) + 1.0) / 2 * 1023)
