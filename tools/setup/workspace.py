# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packages of this repository, built by colcon into build/ and install/."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from environment import environment
from paths import BUILD, INSTALL, LOG_FOLDER, ROOT
from progress import run, say
from ros import Ros
from virtual_environment import PYTHON

PACKAGES = ["amigobot_msgs", "amigobot_driver", "amigobot_navigation", "amigobot_tools"]
#: Packages of our own in place of missing ones, each with the package that must be missing.
SHIMS = {"rosbag2_interfaces": "rosbag2_interfaces", "tf2_msgs": "tf2_ros", "tf2_ros": "tf2_ros"}
BUILT_FROM = {"package.xml", "setup.py", "setup.cfg", "CMakeLists.txt"}
GENERATED_FROM = {"msg", "srv", "action"}
LINKED = {"amigobot_navigation", "bin", "config", "launch", "maps", "rviz", "scripts", "urdf"}
UNITY = Path(__file__).with_name("unity.cmake")


def packages(ros: Ros) -> list[Path]:
    folders = [ROOT / name for name in PACKAGES]
    folders += [ROOT / "tools" / "ros_shims" / name for name, missing in SHIMS.items() if not ros.has(missing)]
    return [folder for folder in folders if (folder / "package.xml").exists()]


def state(package: Path) -> str:
    """Changes when the package must be built. Code and shared files are linked; of the latter, the names count."""
    digest = hashlib.sha256()
    for path in sorted(files(package)):
        digest.update(f"{path}\n".encode())
        if path.relative_to(package).parts[0] not in LINKED:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def files(package: Path) -> Iterator[Path]:
    for path in package.iterdir():
        if path.name in BUILT_FROM:
            yield path
        elif path.name in GENERATED_FROM | LINKED:
            yield from (file for file in path.rglob("*") if file.is_file())


def clean() -> None:
    for folder in (BUILD, INSTALL):
        if folder.exists():
            shutil.rmtree(folder)


def build(ros: Ros, wanted: Sequence[Path]) -> None:
    def announce(line: str) -> None:
        if line.startswith("Starting >>>"):
            say(f"building {line.split()[-1]} ...")

    for package in wanted:
        remove_dangling_links(BUILD / package.name)
        remove_dangling_links(INSTALL / "share" / package.name)
    command = [PYTHON, "-m", "colcon", "--log-base", str(LOG_FOLDER), "build", "--paths", *map(str, wanted)]
    command += ["--build-base", str(BUILD), "--install-base", str(INSTALL), "--merge-install", "--symlink-install"]
    command += ["--cmake-args", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={PYTHON}"]
    if not ros.installed:
        command += [f"-DCMAKE_PROJECT_INCLUDE={UNITY}"]
    variables = environment(ros, overlay=False)
    variables["MAKEFLAGS"] = f"-j{os.cpu_count()}"  # else colcon has make wait for as long as the machine is busy
    run("colcon build", command, variables, "mend that and start again", announce)


def remove_dangling_links(folder: Path) -> None:
    """colcon links the shared files one by one, and trips over links to files that are gone."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.exists():
            path.unlink()
