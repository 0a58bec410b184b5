# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calibrations: a profile file for each robot, found by the name that the robot reports (docs/how-to/calibrate.md)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import ProfileError
from ..wording import given_name
from .library import load_profile
from .model import Profile


def calibration_file(name: str) -> Path | None:
    """Return the file of the robot with this name, in $XDG_CONFIG_HOME/amigobot/robots (default ~/.config).

    Returns:
        The path, whether or not the file exists; None for a robot without a name.
    """
    if not given_name(name):
        return None
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if home.startswith("/") else Path(os.path.expanduser("~/.config"))
    return folder / "amigobot" / "robots" / f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)}.yaml"


def calibrated_profile(profile: Profile, reason: str, name: str) -> tuple[Profile, str]:
    """Return the calibrated profile of a robot, if it has one.

    Args:
        profile: The profile of its model.
        reason: Why it was chosen.
        name: The name that the robot reports.

    Returns:
        The profile to use, and the reason as text. A file that cannot be used is left out, and the reason says why.
    """
    file = calibration_file(name)
    if file is None or not file.is_file():
        return profile, reason
    try:
        calibrated = load_profile(str(file))
    except ProfileError as error:
        return profile, f"{reason}; its calibration cannot be used: {error}"
    if calibrated.name != profile.name:
        return profile, f"{reason}; its calibration cannot be used: {file} is for {calibrated.name}"
    return calibrated, f"{reason}, and is called {name}: {file}"
