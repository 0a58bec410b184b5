# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A gamepad or joystick, through pygame, which reads those that the system knows. No window is opened."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from amigobot_driver import AmigoBotError
from amigobot_driver.cli import UsageError

# Axes of the left stick and buttons, as SDL numbers them on all usual gamepads.
_SIDEWAYS = 0  # axis to the right
_BACKWARD = 1  # axis backwards
DEADMAN = 4  #: button that must be held to drive
STOP = 1  #: button that latches the emergency stop
CLEAR = 0  #: button that clears it
#: Share of an axis around its middle that counts as the middle: worn sticks do not return to it.
_DEAD_ZONE = 0.12


class GamepadLostError(AmigoBotError):
    """The gamepad was disconnected. The message has its name."""


class Gamepad:
    """The first gamepad of the system.

    Args:
        pygame: The library, initialized.
        device: The gamepad.
    """

    def __init__(self, pygame: Any, device: Any) -> None:
        self._pygame = pygame
        self._device = device
        self.name: str = device.get_name()

    def read(self) -> tuple[tuple[float, float] | None, list[int]]:
        """Return the direction and the buttons that were pressed since the last call.

        Returns:
            Shares of the linear and of the angular speed, -1 to 1, and None while the dead-man's button is not held.

        Raises:
            GamepadLostError: The gamepad was disconnected.
        """
        pressed = []
        for event in self._pygame.event.get():
            if event.type == self._pygame.JOYDEVICEREMOVED and event.instance_id == self._device.get_instance_id():
                raise GamepadLostError(f"the gamepad {self.name} is disconnected; the robot is stopped")
            if event.type == self._pygame.JOYBUTTONDOWN and event.instance_id == self._device.get_instance_id():
                pressed.append(event.button)
        if not self._device.get_button(DEADMAN):
            return None, pressed
        return (-self._axis(_BACKWARD), -self._axis(_SIDEWAYS)), pressed

    def _axis(self, number: int) -> float:
        value: float = self._device.get_axis(number)
        if abs(value) <= _DEAD_ZONE:
            return 0.0
        sign = 1.0 if value > 0 else -1.0
        return sign * min(1.0, (abs(value) - _DEAD_ZONE) / (1 - _DEAD_ZONE))


@contextlib.contextmanager
def gamepad() -> Iterator[Gamepad]:
    """Yield the first gamepad for a `with` block.

    Raises:
        ImportError: pygame is not installed.
        UsageError: There is no gamepad, or it has too few axes or buttons.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    # Without a window SDL reads gamepads only with this setting.
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1")
    import pygame

    pygame.display.init()
    pygame.joystick.init()
    try:
        if not pygame.joystick.get_count():
            raise UsageError("no gamepad is connected; is it switched on, and may you read /dev/input/js0?")
        device = pygame.joystick.Joystick(0)
        if device.get_numaxes() < 2 or device.get_numbuttons() <= DEADMAN:
            raise UsageError(f"{device.get_name()} has too few axes or buttons for driving")
        pygame.event.clear()
        yield Gamepad(pygame, device)
    finally:
        pygame.joystick.quit()
        pygame.display.quit()
