# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Converts a profile to a complete profile file, and to a robot description (URDF)."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..resources import share
from .library import _UNITS
from .model import Profile, SonarPose

#: Key suffixes of the values that a profile file does not have in SI units.
_SUFFIXES = {
    "_mm": "distance range length width height front rear wheel_diameter wheel_width track clearance wheelbase "
    "wheel_spacing min_range max_range",
    "_mm_s": "velocity wheel_velocity linear",
    "_deg": "angle field_of_view",
    "_deg_s": "angular",
    "_ms": "cycle command_spacing info_cycle",
}
_SUFFIX_OF = {name: suffix for suffix, names in _SUFFIXES.items() for name in names.split()}


def profile_yaml(profile: Profile) -> str:
    """Return the profile as a complete YAML file, without inheritance or defaults.

    `load_profile` reads the same profile from it, so it is a template for a custom profile.
    """
    return yaml.safe_dump(_mapping(profile), sort_keys=False, allow_unicode=True, default_flow_style=None)


def robot_description(profile: Profile, base_frame: str = "base_link") -> str:
    """Return the robot as URDF with `base_frame` as its root. Needs xacro.

    Raises:
        ModuleNotFoundError: xacro is not installed.
    """
    import xacro  # type: ignore[import-untyped]  # from ROS or PyPI; only this function needs it

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "profile.yaml")
        file.write_text(profile_yaml(profile), encoding="utf-8")
        arguments = {"profile": str(file), "base_frame": base_frame}
        document = xacro.process_file(str(share("urdf", "amigobot.urdf.xacro")), mappings=arguments)
    return str(document.toprettyxml(indent="  "))


def _mapping(part: Any) -> dict[str, Any]:
    content = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, int | float) and not value > 0:
            continue  # NaN or 0 means unknown; a file omits that
        suffix = _SUFFIX_OF.get(field.name, "")
        content[field.name + suffix] = _plain(value, _UNITS.get(suffix, 1.0))
    return content


def _plain(value: Any, unit: float) -> Any:
    if isinstance(value, SonarPose):
        return [_number(value.x, 1e-3), _number(value.y, 1e-3), _number(value.heading, math.radians(1))]
    if dataclasses.is_dataclass(value):
        return _mapping(value)
    if isinstance(value, tuple):
        return [_plain(item, unit) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return _number(value, unit) if isinstance(value, float) else value


def _number(value: float, unit: float) -> int | float:
    """Convert to the unit of the file, without the rounding error of the conversion to SI."""
    number = value if unit == 1.0 else round(value / unit, 12)
    return int(number) if number.is_integer() else number
