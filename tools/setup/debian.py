# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only the system can supply: a C++ compiler, cmake, and the parts of Python that Debian splits off."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from progress import SetupError, run, say

PYTHON = f"python{sysconfig.get_python_version()}"


def missing_packages() -> list[str]:
    importlib.invalidate_caches()
    present = {
        "g++": shutil.which("c++"),
        "cmake": shutil.which("cmake"),
        "make": shutil.which("make"),
        f"{PYTHON}-dev": Path(sysconfig.get_path("include"), "Python.h").exists(),
        f"{PYTHON}-venv": importlib.util.find_spec("ensurepip"),
    }
    return [name for name, found in present.items() if not found]


def install_missing_packages() -> None:
    packages = missing_packages()
    if not packages:
        return
    names = " ".join(packages)
    if not shutil.which("apt-get"):
        raise SetupError(f"missing on this system, which has no apt-get to install them: {names}")
    if os.geteuid() == 0:
        root = []
    elif shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        root = ["sudo", "-n"]
    else:
        raise SetupError(f"system packages are missing; please type: sudo apt-get install {names}")
    say(f"installing system packages: {names} ...")
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    remedy = f"mend that, or install them yourself: {names}"
    run("apt-get update", [*apt, "update"], os.environ, remedy)
    run("apt-get install", [*apt, "install", "--yes", "--no-install-recommends", *packages], os.environ, remedy)
    if missing_packages():
        left = " ".join(missing_packages())
        raise SetupError(f"{PYTHON} still lacks {left}: name another Python, such as PYTHON=/usr/bin/python3")
