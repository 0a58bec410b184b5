"""The packages of this repository, built by colcon into build/ and install/."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from environment import environment
from paths import BUILD, INSTALL, LOG_FOLDER, ROOT
from progress import run, say
from ros import Ros
from virtual_environment import PYTHON

PACKAGES = ["amigobot_msgs", "amigobot_driver", "amigobot_navigation"]
SHIMS = ["tf2_msgs", "tf2_ros"]
BUILT_FROM = {"package.xml", "setup.py", "setup.cfg", "CMakeLists.txt"}
GENERATED_FROM = {".msg", ".srv", ".action"}
SHARED = {"launch", "config", "urdf", "rviz"}


def packages(ros: Ros) -> list[Path]:
    folders = [ROOT / name for name in PACKAGES]
    if not ros.has("tf2_ros"):
        folders += [ROOT / "tools" / "ros_shims" / name for name in SHIMS]
    return [folder for folder in folders if (folder / "package.xml").exists()]


def state(ros: Ros) -> str:
    """Changes when a build is needed. Code and shared files are linked; of the latter, the names count."""
    digest = hashlib.sha256()
    for package in packages(ros):
        for path in sorted(files(package)):
            digest.update(f"{path}\n".encode())
            if path.name in BUILT_FROM or path.suffix in GENERATED_FROM:
                digest.update(path.read_bytes())
    return digest.hexdigest()


def files(package: Path) -> Iterator[Path]:
    for path in package.iterdir():
        if path.name in BUILT_FROM:
            yield path
        elif path.name in SHARED | {"msg", "srv", "action"}:
            yield from (file for file in path.rglob("*") if file.is_file())


def clean() -> None:
    for folder in (BUILD, INSTALL):
        if folder.exists():
            shutil.rmtree(folder)


def build(ros: Ros) -> None:
    def announce(line: str) -> None:
        if line.startswith("Starting >>>"):
            say(f"building {line.split()[-1]} ...")

    remove_dangling_links()
    command = [PYTHON, "-m", "colcon", "--log-base", str(LOG_FOLDER), "build"]
    command += ["--build-base", str(BUILD), "--install-base", str(INSTALL)]
    command += ["--merge-install", "--symlink-install"]
    command += ["--paths", *map(str, packages(ros))]
    command += ["--cmake-args", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={PYTHON}"]
    run("colcon build", command, environment(ros, overlay=False), announce)


def remove_dangling_links() -> None:
    """colcon links the shared files one by one, and trips over links to files that are gone."""
    for folder in (BUILD, INSTALL):
        for path in folder.rglob("*"):
            if path.is_symlink() and not path.exists():
                path.unlink()
