# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which ROS 2 is used: the one that is sourced, or else the one from PyPI."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from paths import ROOT
from progress import SetupError

#: Their rclpy has no callback after a change of parameters, which the node needs.
TOO_OLD = ("foxy", "galactic", "humble")


@dataclass(frozen=True)
class Ros:
    distro: str
    installed: bool  # else it comes from PyPI
    sourced: tuple[Path, ...]  # the prefixes of the sourced ROS, usable or not

    def has(self, package: str) -> bool:
        index = Path("share/ament_index/resource_index/packages")
        return self.installed and any((prefix / index / package).exists() for prefix in self.sourced)


def find_ros() -> Ros:
    """The sourced ROS 2 if this Python can use its rclpy, else the one from PyPI.

    Raises:
        SetupError: The sourced ROS 2 is too old for the node.
    """
    entries = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    prefixes = tuple(Path(entry) for entry in entries if entry and ROOT not in Path(entry).parents)
    distro = os.environ.get("ROS_DISTRO", "")
    if distro in TOO_OLD and prefixes:
        raise SetupError(
            f"ROS 2 {distro.capitalize()} is sourced, but the node needs Jazzy or later: source that one, or use a "
            "terminal in which none is sourced (ROS 2 then comes from PyPI). Often a line in ~/.bashrc sources it: put "
            "a # before that line and open a new terminal"
        )
    if distro and prefixes and has_usable_rclpy():
        return Ros(distro, True, prefixes)
    return Ros("jazzy", False, prefixes)


def has_usable_rclpy() -> bool:
    """Whether there is an rclpy for this Python, in a prefix with setup files: the wheels have none."""
    spec = find_spec("rclpy")
    if spec is None or spec.origin is None:
        return False
    folder = Path(spec.origin).parent
    compiled = folder / f"_rclpy_pybind11{EXTENSION_SUFFIXES[0]}"
    return compiled.exists() and any((parent / "local_setup.bash").exists() for parent in folder.parents)
