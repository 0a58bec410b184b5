"""The FLASH parameters of a new robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from ..profiles import Profile
from .activmedia.dialect import dialect_for
from .activmedia.flash import ActivMediaFlash
from .erratic.firmware import ErraticFirmware
from .erratic.flash import ErraticFlash
from .parameters import FlashParameters, load_flash


def factory_settings(profile: Profile) -> Mapping[str, int | str]:
    """Return the parameters of a new robot by their names in the CONFIG packet, in its units.

    Raises:
        ProfileError: A FLASH value of the profile is not allowed.
    """
    flash: FlashParameters
    if profile.firmware == ErraticFirmware.LETTER:
        diameter, track = profile.body.wheel_diameter, profile.body.track
        flash = load_flash(ErraticFlash, profile.flash, profile.name, wheel_diameter=diameter, track=track)
    else:
        flash = load_flash(ActivMediaFlash, dialect_for(profile.firmware).factory(profile), profile.name)
    return {item.name: getattr(flash, item.name) for item in fields(flash)}
