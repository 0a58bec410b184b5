"""The joystick that may be plugged into a Pioneer (docs/protocol.md 5.10). Nobody holds it unless a test does."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol import Joystick


@dataclass(slots=True)
class JoystickModel:
    """Where it is: axes and throttle from -1 to 1."""

    x: float = 0.0
    y: float = 0.0
    throttle: float = -1.0
    buttons: tuple[bool, bool] = (False, False)

    def packet(self) -> Joystick:
        """JOYSTICKpac."""
        return Joystick(
            button1=self.buttons[0],
            button2=self.buttons[1],
            x=_counts(self.x),
            y=_counts(self.y),
            throttle=_counts(self.throttle),
        )


def _counts(value: float) -> int:
    """0 to 1023."""
    return round((max(-1.0, min(1.0, value)) + 1.0) / 2 * 1023)
