"""The linters, as tests: what they find is the failure message."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "amigobot_driver/amigobot_driver"
STRICT = ["protocol", "robot", "transport", "profiles"]


def run(*command: str) -> None:
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


def test_ruff() -> None:
    run("ruff", "check")


def test_mypy() -> None:
    run("mypy", "--strict", *(f"{PACKAGE}/{layer}" for layer in STRICT if (ROOT / PACKAGE / layer).is_dir()))
