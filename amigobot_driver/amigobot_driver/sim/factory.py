# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The FLASH parameters of a new robot, and those that a CONFIG packet shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields

from ..profiles import Profile
from ..protocol import ErraticConfig, Parameters
from .activmedia.dialect import dialect_for
from .activmedia.flash import ActivMediaFlash
from .erratic.flash import ErraticFlash
from .keywords import to_keywords
from .parameters import FlashParameters, load_flash


def factory_settings(profile: Profile) -> Mapping[str, int | str]:
    """Return the parameters of a new robot by their names in the CONFIG packet, in its units.

    Raises:
        ProfileError: A FLASH value of the profile is not allowed.
    """
    flash: FlashParameters
    if profile.erratic:
        diameter, track = profile.body.wheel_diameter, profile.body.track
        flash = load_flash(ErraticFlash, profile.flash, profile.name, wheel_diameter=diameter, track=track)
    else:
        flash = dialect_for(profile.firmware).load(profile)
    return {item.name: getattr(flash, item.name) for item in fields(flash)}


def flash_of(config: Parameters, names: Collection[str] | None = None) -> dict[str, int | str]:
    """Return the FLASH values that a CONFIG packet shows, by the manual's keywords.

    Args:
        config: The packet; values that no simulated FLASH can have are left out.
        names: Fields of the packet that are of interest; None for all.
    """
    return to_keywords(ErraticFlash if isinstance(config, ErraticConfig) else ActivMediaFlash, config, names)
