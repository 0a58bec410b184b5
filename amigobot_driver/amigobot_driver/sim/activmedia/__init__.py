# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated ActivMedia firmwares: AmigOS, AmigoSH, P2OS, AROS and ARCOS (docs/protocol.md 8)."""

from __future__ import annotations

from ...profiles import Profile
from ..events import Listener
from ..hardware import Hardware
from .commands import ROWS
from .dialect import dialect_for
from .firmware import ActivMediaFirmware

__all__ = ["ActivMediaFirmware", "build_activmedia"]


def build_activmedia(
    profile: Profile,
    hardware: Hardware,
    on_event: Listener,
    *,
    name: str | None = None,
    baud_code: int | None = None,
    refuse_low_battery: bool = False,
) -> ActivMediaFirmware:
    """Build the controller of an ActivMedia robot, with the firmware that its profile names.

    Args:
        profile: The robot's dimensions, limits, units and FLASH values.
        hardware: Everything the controller is connected to.
        on_event: Called with each event as it happens.
        name: Name that the robot reports; None keeps the profile's.
        baud_code: Code of the line speed; None keeps the profile's.
        refuse_low_battery: Answer no client while the battery is below its alarm voltage.

    Returns:
        The controller, booted.

    Raises:
        ProfileError: A FLASH value is not allowed.
    """
    dialect = dialect_for(profile.firmware)
    flash = dialect.load(profile, name=name, baud_code=baud_code)
    return ActivMediaFirmware(
        profile, dialect, flash, hardware, on_event, rows=ROWS, refuse_low_battery=refuse_low_battery
    )
