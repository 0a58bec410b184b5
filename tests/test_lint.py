# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The linters, as tests: what they find is the failure message."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "amigobot_driver/amigobot_driver"
#: Not checked by mypy: rclpy and the generated messages have no complete types. QUALITY_DECLARATION.md says so.
UNTYPED = ("cli", "ros")
#: Folders in which every public definition has a Google-style docstring; magic methods and __init__ are exempt.
DOCUMENTED = [
    PACKAGE,
    "amigobot_driver/launch",
    "amigobot_navigation/amigobot_navigation",
    "amigobot_navigation/launch",
    "amigobot_tools/amigobot_tools",
]


def run(*command: str) -> None:
    pytest.importorskip(command[0], reason=f"{command[0]} has no rosdep key; `./run` installs it")
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


def test_ruff() -> None:
    run("ruff", "check")


def test_every_python_file_names_copyright_and_license() -> None:
    """REUSE.toml names them for the other files."""
    notice = r"SPDX-FileCopyrightText: The authors of amigobot_driver\n# SPDX-License-Identifier: Apache-2\.0"
    style = ("--preview", "--select", "CPY", "--config", f"lint.flake8-copyright.notice-rgx='{notice}'")
    # Its bytes are part of the key of the environment: a comment there makes each user install it again.
    run("ruff", "check", *style, "--extend-exclude", "tools/setup/wheels.py")


def test_mypy() -> None:
    files = {path.relative_to(ROOT / PACKAGE) for path in (ROOT / PACKAGE).rglob("*.py")}
    typed = [f"{PACKAGE}/{name}" for name in sorted({path.parts[0] for path in files} - set(UNTYPED))]
    examples = map(str, sorted((ROOT / "examples").glob("*.py")))
    alone = "--strict", "--scripts-are-modules", "--follow-imports=silent"
    run("mypy", *alone, *typed, "amigobot_navigation/amigobot_navigation", *examples)


@pytest.mark.parametrize("folder", ["tools", "benchmarks", "examples"])
def test_what_programs_import_from_the_driver_exists(folder: str) -> None:
    """Some of these programs need Nav2 or RViz, so no test starts them."""
    missing = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "amigobot_driver":
                module = importlib.import_module(str(node.module))
                names = [name.name for name in node.names if not _has(module, name.name)]
                missing += [f"{path.relative_to(ROOT)}:{node.lineno}: {node.module} has no {name}" for name in names]
    assert not missing, missing


def _has(module: ModuleType, name: str) -> bool:
    return hasattr(module, name) or importlib.util.find_spec(f"{module.__name__}.{name}") is not None


def test_every_public_definition_has_a_docstring() -> None:
    style = ("--select", "D", "--ignore", "D105,D107", "--config", "lint.pydocstyle.convention='google'")
    run("ruff", "check", *style, *DOCUMENTED)
