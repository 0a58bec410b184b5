"""Reads profiles from YAML. Keys are those of `model`, in SI units or with the unit in their name (`length_mm`)."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ..resources import share
from .model import Profile, ProfileError, SonarPose

#: Endings of keys and what their values are multiplied with; longest first.
_UNITS = {
    "_mm_s": 1e-3,
    "_deg_s": math.pi / 180,
    "_deg": math.pi / 180,
    "_mm": 1e-3,
    "_ms": 1e-3,
}
_FALLBACK = "generic"
#: A profile is a page of text; anything much longer is not one.
_MAX_SIZE = 100_000

T = TypeVar("T")


def available_profiles() -> tuple[str, ...]:
    """The names of the profiles that are shipped."""
    return tuple(sorted(path.stem for path in share("config", "robots").glob("*.yaml")))


def load_profile(name: str) -> Profile:
    """A profile by its name, or from a file when `name` ends in .yaml. Raises ProfileError."""
    if name.endswith(".yaml"):
        return _load(Path(name))
    if name not in available_profiles():
        raise ProfileError(f"robot {name!r} is not known, there are: {', '.join(available_profiles())}")
    return _shipped(name)


def choose_profile(robot_class: str, subclass: str) -> tuple[Profile, str]:
    """The profile for a robot that names itself so, and the reason in words; `generic` for a stranger."""
    for name in available_profiles():
        profile = _shipped(name)
        if subclass.lower() in profile.subclasses and robot_class.lower() == profile.robot_class.lower():
            return profile, f"the robot calls itself {robot_class}/{subclass}"
    return _shipped(_FALLBACK), (
        f"the robot calls itself {robot_class}/{subclass}, which no profile knows: distances may be wrong, "
        f"set the parameter robot to one of {', '.join(available_profiles())}"
    )


@functools.cache
def _shipped(name: str) -> Profile:
    return _load(share("config", "robots") / f"{name}.yaml")


def _load(path: Path) -> Profile:
    profile: Profile = _build(Profile, _read(path), str(path))
    return profile


def _read(path: Path, depth: int = 0) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_SIZE:
            raise ProfileError(f"{path}: too long for a profile, more than {_MAX_SIZE} bytes")
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: cannot be read ({error})") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{path}: no YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise ProfileError(f"{path}: a profile is a mapping of keys to values")
    base = content.pop("extends", None)
    if base is None:
        return content
    if not isinstance(base, str) or base not in available_profiles() or depth > 4:
        raise ProfileError(f"{path}: extends: {base!r}, allowed: {', '.join(available_profiles())}")
    return _merge(_read(share("config", "robots") / f"{base}.yaml", depth + 1), content)


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _build(cls: type[T], content: Any, where: str) -> T:
    if not isinstance(content, dict):
        raise ProfileError(f"{where}: {content!r}, a mapping of keys to values is needed")
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for key, value in content.items():
        name, scale = _field_of(str(key))
        if name not in hints:
            raise ProfileError(f"{where}: key {key!r} is not known, allowed: {', '.join(hints)}")
        values[name] = _convert(hints[name], value, scale, f"{where}: {key}")
    missing = [
        f.name
        for f in dataclasses.fields(cls)  # type: ignore[arg-type]
        if f.name not in values and f.default is f.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ProfileError(f"{where}: missing {', '.join(missing)}")
    return cls(**values)


def _field_of(key: str) -> tuple[str, float]:
    for ending, scale in _UNITS.items():
        if key.endswith(ending):
            return key.removesuffix(ending), scale
    return key, 1.0


def _convert(hint: Any, value: Any, scale: float, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return _build(typing.cast(type, hint), value, where)
    if hint is float:
        return _number(value, where) * scale
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if hint is str and isinstance(value, str):
        return value
    if hint == tuple[str, ...] and isinstance(value, list):
        return tuple(str(item) for item in value)
    if hint == tuple[SonarPose, ...] and isinstance(value, list):
        return tuple(_sonar_pose(item, where) for item in value)
    if hint == tuple[tuple[float, float], ...] and isinstance(value, list):
        return tuple((_number(a, where), _number(b, where)) for a, b in (_row(item, 2, where) for item in value))
    if typing.get_origin(hint) is Mapping and isinstance(value, dict):
        return types.MappingProxyType(dict(value))
    raise ProfileError(f"{where}: {value!r} is no {getattr(hint, '__name__', hint)}")


def _sonar_pose(item: Any, where: str) -> SonarPose:
    x, y, heading = (_number(number, where) for number in _row(item, 3, where))
    return SonarPose(x / 1000, y / 1000, math.radians(heading))


def _row(item: Any, length: int, where: str) -> list[Any]:
    if not isinstance(item, list) or len(item) != length:
        raise ProfileError(f"{where}: {item!r}, a list of {length} numbers is needed")
    return item


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ProfileError(f"{where}: {value!r} is no number")
    return float(value)
