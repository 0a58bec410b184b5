# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The environment in which everything is built and run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import wheels
from paths import BUILD, INSTALL, VENV
from progress import say
from ros import Ros

DISCOVERY = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS")


def environment(ros: Ros, overlay: bool = True) -> dict[str, str]:
    """That of the caller, with ROS 2, the tools and (the overlay) what was built here in front."""
    result = dict(os.environ)
    result.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process of a test compiles ROS 2 again: half of all CPU time
    result["VIRTUAL_ENV"] = str(VENV)
    prepend(result, "PATH", VENV / "bin")
    if not ros.installed:
        use_wheels(result, ros)
    if overlay:
        prepend(result, "AMENT_PREFIX_PATH", INSTALL)
        prepend(result, "LD_LIBRARY_PATH", INSTALL / "lib")
        prepend(result, "PATH", INSTALL / "bin", INSTALL / "lib" / "amigobot_driver")
        prepend(result, "PYTHONPATH", *python_folders())
    if not any(name in result for name in DISCOVERY):
        result["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        if overlay and sys.stderr.isatty():
            say("ROS sees this computer only; for others: ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET ./run ...")
    return result


def use_wheels(variables: dict[str, str], ros: Ros) -> None:
    """ROS 2 from .venv, and from nowhere else: two of them in one process do not go together."""
    for name in ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH"):
        kept = [Path(entry) for entry in variables.get(name, "").split(os.pathsep) if entry]
        kept = [entry for entry in kept if not any(prefix in entry.parents for prefix in ros.sourced)]
        variables[name] = os.pathsep.join(map(str, kept))
    variables.update(
        ROS_DISTRO=ros.distro,
        ROS_VERSION="2",
        ROS_PYTHON_VERSION="3",
        RMW_IMPLEMENTATION="rmw_fastrtps_cpp",
        AMENT_PREFIX_PATH=str(VENV),
        CMAKE_PREFIX_PATH=str(VENV),
        _ROS_WHEELS_BOOTSTRAP_COMPLETE="1",
    )
    prepend(variables, "LD_LIBRARY_PATH", *wheels.library_folders(VENV))


def python_folders() -> list[Path]:
    """Generated code is in install/ (Debian and the rest differ about where), linked code in build/."""
    linked = [info.parent for info in BUILD.glob("*/*.egg-info")]
    generated = INSTALL.glob("lib/python3*/site-packages"), INSTALL.glob("local/lib/python3*/dist-packages")
    return linked + [folder for folders in generated for folder in folders]


def prepend(variables: dict[str, str], name: str, *folders: Path) -> None:
    entries = [str(folder) for folder in folders]
    before = variables.get(name, "").split(os.pathsep)
    variables[name] = os.pathsep.join(entries + [entry for entry in before if entry and entry not in entries])
