# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""New robots: their FLASH parameters and their controllers, and the FLASH values that a CONFIG packet shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from ..profiles import Profile
from ..protocol import ErraticConfig, Parameters
from .activmedia import commands as activmedia
from .activmedia.dialect import dialect_for
from .activmedia.firmware import ActivMediaFirmware
from .activmedia.flash import ActivMediaFlash
from .controller import Controller
from .erratic import commands as erratic
from .erratic.firmware import ErraticFirmware
from .erratic.flash import ErraticFlash
from .events import Listener
from .hardware import Hardware
from .keywords import to_keywords
from .parameters import load_flash


def build_controller(
    profile: Profile,
    hardware: Hardware,
    on_event: Listener,
    *,
    name: str | None,
    baud_code: int | None,
) -> Controller[Any]:
    """Return the controller of a robot, booted; the arguments are those of `Simulator`.

    Raises:
        ProfileError: A FLASH value is not allowed.
    """
    if profile.erratic:
        flash = _erratic_flash(profile, name, baud_code)
        return ErraticFirmware(profile, flash, hardware, on_event, erratic.ROWS)
    dialect = dialect_for(profile.firmware)
    return ActivMediaFirmware(
        profile,
        dialect,
        dialect.load(profile, name=name, baud_code=baud_code),
        hardware,
        on_event,
        activmedia.ROWS,
    )


def factory_settings(profile: Profile) -> Mapping[str, int | str]:
    """Return the parameters of a new robot by their names in the CONFIG packet, in its units.

    Raises:
        ProfileError: A FLASH value of the profile is not allowed.
    """
    flash = _erratic_flash(profile) if profile.erratic else dialect_for(profile.firmware).load(profile)
    return {item.name: getattr(flash, item.name) for item in fields(flash)}


def flash_of(config: Parameters, names: Collection[str] | None = None) -> dict[str, int | str]:
    """Return the FLASH values that a CONFIG packet shows, by the manual's keywords.

    Args:
        config: The packet; values that no simulated FLASH can have are left out.
        names: Fields of the packet that are of interest; None for all.
    """
    return to_keywords(ErraticFlash if isinstance(config, ErraticConfig) else ActivMediaFlash, config, names)


def _erratic_flash(profile: Profile, name: str | None = None, baud_code: int | None = None) -> ErraticFlash:
    diameter, track = profile.body.wheel_diameter, profile.body.track
    where = profile.name
    return load_flash(
        ErraticFlash, profile.flash, where, name=name, baud_code=baud_code, wheel_diameter=diameter, track=track
    )
