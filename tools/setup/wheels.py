"""Repairs of the ROS 2 wheels: what a wheel cannot know before it is installed."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

VERSION = sysconfig.get_python_version()


def repair(venv: Path) -> None:
    point_cmake_at_this_python(venv)
    point_index_at_this_prefix(venv)


def point_cmake_at_this_python(venv: Path) -> None:
    """The CMake targets of the message packages name the header folders of the build machine's Python."""
    built_with = r"/opt/python/cp\d+-cp\d+"
    here = {
        rf"{built_with}/include/python[\d.]+": sysconfig.get_path("include"),
        rf"{built_with}/lib/python[\d.]+/site-packages": str(site_packages(venv)),
    }
    for path in venv.glob("share/*/cmake/*.cmake"):
        text = path.read_text()
        if "/opt/python" in text:
            for pattern, folder in here.items():
                text = re.sub(pattern, folder, text)
            path.write_text(text)


def point_index_at_this_prefix(venv: Path) -> None:
    """The ament index names the prefix of the build machine as the parent of every package."""
    for path in venv.glob("share/ament_index/resource_index/parent_prefix_path/*"):
        path.write_text(str(venv))


def site_packages(venv: Path) -> Path:
    return venv / "lib" / f"python{VERSION}" / "site-packages"


def library_folders(venv: Path) -> list[Path]:
    """Where the shared libraries are.

    The wheels bring a .pth file that puts these into LD_LIBRARY_PATH and starts Python a second time, unless
    _ROS_WHEELS_BOOTSTRAP_COMPLETE is set. Who sets the one must set the other.
    """
    return [venv / "lib", *sorted(site_packages(venv).glob("ros_*.libs"))]
