# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every source file names copyright and license in its first lines; REUSE.toml does so for every other file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = ("SPDX-FileCopyrightText: The authors of amigobot_driver", "SPDX-License-Identifier: Apache-2.0")
#: Its bytes are part of the key of the environment: another comment there makes each user install it again.
WITHOUT_HEADER = {"tools/setup/wheels.py"}
SCRIPTS = ("run", ".ci/run", "amigobot_driver/bin/amigobot")
PACKAGES = ("amigobot_driver", "amigobot_navigation", "amigobot_tools")
FOLDERS = (*PACKAGES, "benchmarks", "docs", "examples", "tests", "tools")
KINDS = (".py", ".js", ".css", ".xacro")
#: Folders of things that are made, not written.
MADE = {"build", "__pycache__"}


def sources() -> Iterator[Path]:
    """The source files: Python, shell, the page of the dashboard, the models of the robots."""
    yield from (ROOT / script for script in SCRIPTS)
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in KINDS and not MADE & set(path.relative_to(ROOT).parts):
                yield path


def test_every_source_file_names_copyright_and_license() -> None:
    without, count = set(), 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        head = "".join(text.splitlines(keepends=True)[:5])
        count += 1
        if text.strip() and not all(line in head for line in HEADER):
            without.add(path.relative_to(ROOT).as_posix())
    assert without == WITHOUT_HEADER
    assert count > 100
