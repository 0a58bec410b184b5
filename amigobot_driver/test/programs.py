# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Programs that tests start: they find this package without an installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def environment(*folders: Path, **variables: str) -> dict[str, str]:
    """The environment of a program that finds this package, and the modules in more folders."""
    path = (*map(str, (PACKAGE, *folders)), *filter(None, [os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables}


def run_python(*arguments: str, **variables: str) -> str:
    """Run Python with these arguments; return what it prints."""
    command = [sys.executable, *arguments]
    result = subprocess.run(command, env=environment(**variables), capture_output=True, text=True, timeout=250)
    assert result.returncode == 0, result.stderr
    return result.stdout
