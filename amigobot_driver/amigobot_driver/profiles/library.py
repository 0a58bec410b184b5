# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Finds and reads profiles. Keys are those of `model`, in SI units or with a unit suffix (`length_mm`)."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ProfileError
from ..resources import merged, read_mapping, share
from ..wording import shown, wrong_type
from .aria import AriaError, read_aria
from .model import Profile, SonarPose

#: Unit suffixes of keys and their factors to SI units; longest first.
_UNITS = {
    "_mm_s": 1e-3,
    "_deg_s": math.pi / 180,
    "_deg": math.pi / 180,
    "_mm": 1e-3,
    "_ms": 1e-3,
}
_FALLBACK = "generic"
_FILES = (".yaml", ".p")

#: Names of the types in messages.
_KINDS = {
    int: "an integer",
    bool: "true or false",
    str: "a text",
    tuple[str, ...]: "a list of texts",
    tuple[SonarPose, ...]: "a list of [x, y, heading]",
    tuple[tuple[float, float], ...]: "a list of [volts, charge]",
}

T = TypeVar("T")
N = TypeVar("N", int, float)


def available_profiles() -> tuple[str, ...]:
    """Return the names of the shipped profiles."""
    return tuple(sorted(path.stem for path in share("config", "robots").glob("*.yaml")))


def load_profile(name: str) -> Profile:
    """Load a profile by name, or from a profile file (.yaml) or an ARIA file (.p).

    Raises:
        ProfileError: The name is unknown, or the file cannot be used.
    """
    if name.endswith(_FILES):
        return _load(Path(name))
    if name not in available_profiles():
        allowed = ", ".join(available_profiles())
        raise ProfileError(f"robot {shown(name)} is not known, allowed: {allowed}, or a .yaml or .p file")
    return _shipped(name)


def build_profile(content: Mapping[str, Any], where: str) -> Profile:
    """Build a profile from the content of a profile file.

    Args:
        content: Keys and values; `extends` names a shipped profile that has the rest.
        where: Origin of the content, for error messages.

    Raises:
        ProfileError: A key or value is not allowed.
    """
    return _build(Profile, _with_base(dict(content), where), where)


def choose_profile(robot_class: str, subclass: str, fallback: str = _FALLBACK) -> tuple[Profile, str]:
    """Choose the profile for a robot by what it reports.

    Args:
        robot_class: Class that the robot reports.
        subclass: Subclass that the robot reports.
        fallback: Profile for an unknown robot.

    Returns:
        The profile, and the reason as text.
    """
    if profile := _known(robot_class, subclass):
        return profile, f"the robot reports {robot_class}/{subclass}"
    profile = _shipped(fallback)
    problem = f"the robot reports {robot_class}/{subclass}, which no profile has"
    if not (robot_class or subclass):
        problem = f"the robot does not report its model; its packets match: {profile.description}"
    allowed = ", ".join(available_profiles())
    return profile, f"{problem}; distances may be wrong; the profiles are {allowed}"


def _known(robot_class: str, subclass: str) -> Profile | None:
    for name in available_profiles():
        profile = _shipped(name)
        if subclass.lower() in profile.subclasses and robot_class.lower() == profile.robot_class.lower():
            return profile
    return None


@functools.cache
def _shipped(name: str) -> Profile:
    return _load(share("config", "robots") / f"{name}.yaml")


def _load(path: Path) -> Profile:
    profile: Profile = _build(Profile, _read(path), str(path))
    return profile


def _read(path: Path, depth: int = 0) -> dict[str, Any]:
    return _with_base(_read_aria(path) if path.suffix == ".p" else read_mapping(path, ProfileError), str(path), depth)


def _with_base(content: dict[str, Any], where: str, depth: int = 0) -> dict[str, Any]:
    """Return the content, completed with the values of the profile that it extends."""
    base = content.pop("extends", None)
    if base is None:
        return content
    if not isinstance(base, str) or base not in available_profiles() or depth > 4:
        allowed = ", ".join(available_profiles())
        raise ProfileError(f"{where}: extends is {shown(base)}, allowed: {allowed}")
    return merged(_read(share("config", "robots") / f"{base}.yaml", depth + 1), content)


def _read_aria(path: Path) -> dict[str, Any]:
    """Read an ARIA file as changes to the profile of its robot: it has no battery, for example."""
    try:
        content, diff_conv = read_aria(path.read_text("latin-1"))
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read ({error})") from None
    except AriaError as error:
        raise ProfileError(f"{path}: {error}") from None
    robot_class, (subclass,) = content["robot_class"], content["subclasses"]
    base = _known(robot_class, subclass)
    if base and diff_conv:
        content["unused"].append(
            f"DiffConvFactor (the track stays {1000 * base.body.track:.0f} mm, that of {base.name})"
        )
    elif diff_conv:
        content.setdefault("body", {})["track_mm"] = 2 / diff_conv
    return {
        **content,
        "extends": base.name if base else _FALLBACK,
        "name": path.stem,
        "description": f"{robot_class}/{subclass}, from {path.name}",
    }


def _build(cls: type[T], content: Any, where: str) -> T:
    if not isinstance(content, dict):
        raise ProfileError(wrong_type(where, content, "a mapping of keys to values"))
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for key, value in content.items():
        name, scale = _field_of(str(key))
        if name not in hints or (scale != 1.0 and hints[name] is not float):
            raise ProfileError(f"{where}: key {shown(key)} is not known, allowed: {', '.join(hints)}")
        values[name] = _convert(hints[name], value, scale, f"{where}: {key}")
    missing = [
        f.name
        for f in dataclasses.fields(cls)  # type: ignore[arg-type]
        if f.name not in values and f.default is f.default_factory is dataclasses.MISSING
    ]
    if missing:
        verb = "are" if missing[1:] else "is"
        raise ProfileError(f"{where}: {', '.join(missing)} {verb} missing")
    try:
        return cls(**values)
    except ValueError as error:
        raise ProfileError(f"{where}: {error}") from None


def _field_of(key: str) -> tuple[str, float]:
    for suffix, scale in _UNITS.items():
        if key.endswith(suffix):
            return key.removesuffix(suffix), scale
    return key, 1.0


def _convert(hint: Any, value: Any, scale: float, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return _build(typing.cast(type, hint), value, where)
    if hint is float:
        return _positive(_number(value, where), where) * scale
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        return _positive(value, where)
    if hint in (str, bool) and isinstance(value, hint):
        return value
    if hint == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if hint == tuple[SonarPose, ...] and isinstance(value, list):
        return tuple(_sonar_pose(item, where) for item in value)
    if hint == tuple[tuple[float, float], ...] and isinstance(value, list):
        return _curve(value, where)
    if typing.get_origin(hint) is Mapping and isinstance(value, dict):
        return _flash(value, where)
    raise ProfileError(wrong_type(where, value, _KINDS.get(hint, "a mapping")))


def _curve(rows: list[Any], where: str) -> tuple[tuple[float, float], ...]:
    curve = tuple((_number(a, where), _number(b, where)) for a, b in (_row(item, 2, where) for item in rows))
    if not curve or any(a >= b for (a, _), (b, _) in itertools.pairwise(curve)):
        raise ProfileError(wrong_type(where, rows, "pairs [volts, charge] with rising volts"))
    return curve


def _flash(content: dict[Any, Any], where: str) -> Mapping[str, int | str]:
    for key, value in content.items():
        if not isinstance(value, int | str) or isinstance(value, bool):
            raise ProfileError(wrong_type(f"{where}: {shown(key)}", value, "an integer or a text"))
    return types.MappingProxyType({str(key): value for key, value in content.items()})


def _sonar_pose(item: Any, where: str) -> SonarPose:
    x, y, heading = (_number(number, where) for number in _row(item, 3, where))
    return SonarPose(x / 1000, y / 1000, math.radians(heading))


def _row(item: Any, length: int, where: str) -> list[Any]:
    if not isinstance(item, list) or len(item) != length:
        raise ProfileError(wrong_type(where, item, f"a list of {length} numbers"))
    return item


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ProfileError(wrong_type(where, value, "a number"))
    return float(value)


def _positive(value: N, where: str) -> N:
    if value <= 0:
        raise ProfileError(f"{where} is {value:g}, allowed: above 0")
    return value
