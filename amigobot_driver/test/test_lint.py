# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The linters, as tests: what they find is the failure message."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "amigobot_driver/amigobot_driver"
STRICT = ["__init__.py", "errors.py", "api", "protocol", "robot", "transport", "profiles", "sim", "doctor"]
#: Folders in which every public definition has a Google-style docstring; magic methods and __init__ are exempt.
DOCUMENTED = [PACKAGE, "amigobot_driver/launch", "amigobot_navigation/launch", "amigobot_tools/amigobot_tools"]


def run(*command: str) -> None:
    pytest.importorskip(command[0], reason=f"{command[0]} has no rosdep key; `./run` installs it")
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


def test_ruff() -> None:
    run("ruff", "check")


def test_mypy() -> None:
    run("mypy", "--strict", *(f"{PACKAGE}/{layer}" for layer in STRICT))


def test_mypy_of_the_examples() -> None:
    run("mypy", "--strict", "--scripts-are-modules", *map(str, sorted((ROOT / "examples").glob("*.py"))))


def test_every_public_definition_has_a_docstring() -> None:
    style = ("--select", "D", "--ignore", "D105,D107", "--config", "lint.pydocstyle.convention='google'")
    run("ruff", "check", *style, *DOCUMENTED)
