# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Videre Erratic: another controller with the same hardware (docs/protocol.md 3.8, 5.11-5.15, 8.9)."""

from __future__ import annotations

from ...profiles import Profile
from ..events import Listener
from ..hardware import Hardware
from ..parameters import load_flash
from .commands import ROWS
from .firmware import ErraticFirmware
from .flash import ErraticFlash
from .revision import Revision, parse_revision, revision_names, revision_of

__all__ = ["ErraticFirmware", "Revision", "build_erratic", "parse_revision", "revision_names", "revision_of"]


def build_erratic(
    profile: Profile,
    revision: Revision,
    hardware: Hardware,
    on_event: Listener,
    *,
    name: str | None = None,
    baud_code: int | None = None,
) -> ErraticFirmware:
    """Build the controller of an Erratic.

    Args:
        profile: The robot's dimensions, limits, units and FLASH values.
        revision: Variant of the firmware.
        hardware: Everything the controller is connected to.
        on_event: Called with each event as it happens.
        name: Name that the robot reports; None keeps the profile's.
        baud_code: Code of the line speed; None keeps the profile's.

    Returns:
        The controller, booted.

    Raises:
        ProfileError: A FLASH value is not allowed.
    """
    flash = load_flash(
        ErraticFlash,
        profile.flash,
        profile.name,
        name=name,
        baud_code=baud_code,
        wheel_diameter=profile.body.wheel_diameter,
        track=profile.body.track,
    )
    return ErraticFirmware(profile, revision, flash, hardware, on_event, ROWS)
