# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Worlds from files: this project's YAML, ARIA's .map, and the maps of ROS. Each format is one module.

A file can come from anywhere: its size and its numbers are limited, and an error names the file, the place in it and
what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...resources import read_mapping, share
from ..world import World
from . import aria, ros, shapes
from .checks import WorldError, parse_pose

__all__ = ["WorldError", "available_worlds", "load_world", "parse_pose"]


def available_worlds() -> tuple[str, ...]:
    """Return the names of the worlds that are shipped."""
    return tuple(sorted(path.stem for path in share("config", "worlds").glob("*.yaml")))


def load_world(name: str) -> World:
    """Load a world.

    Args:
        name: Name of a shipped world, or path of a file.

    Returns:
        The world.

    Raises:
        WorldError: The name is unknown, or the file cannot be read or has a wrong content.
    """
    path = Path(name)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        if name not in available_worlds():
            known = ", ".join(available_worlds())
            raise WorldError(f"world {name!r} is not known, allowed: {known}, or a file ({', '.join(_READERS)})")
        path, reader = share("config", "worlds") / f"{name}.yaml", _read_yaml
    return reader(path)


def _read_yaml(path: Path) -> World:
    content = read_mapping(path, WorldError)
    read = ros.read if {"image", "resolution"} <= content.keys() else shapes.read
    return read(content, path)


#: Readers by the extension of the file.
_READERS: dict[str, Callable[[Path], World]] = {".yaml": _read_yaml, ".yml": _read_yaml, ".map": aria.read}
