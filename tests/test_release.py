# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One file has the address of the project and its maintainer, and `make release` writes them everywhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from tools import release

PROJECT = {
    "url": "https://code.test/robots/amigobot",
    "maintainer": "A Person",
    "email": "person@code.test",
    "owners": "@person",
}
#: The values that the files state: placeholders before the first release, later those of tools/project.yaml.
_PRESENT = yaml.safe_load(release.PROJECT.read_text("utf-8"))
_STATED = ("REPOSITORY_URL", _PRESENT["url"], _PRESENT["email"], _PRESENT["owners"])
_EXCLUDED = (":!tools/project.yaml", ":!tools/release.py", ":!*test_*")
_PATTERNS = [argument for value in _STATED for argument in ("-e", value)]
_COMMAND = ["git", "-C", str(release.ROOT), "grep", "-lF", *_PATTERNS, "--", ".", *_EXCLUDED]


def test_new_values_replace_every_old_one() -> None:
    texts = release.written(PROJECT)
    listed = subprocess.run(_COMMAND, capture_output=True, text=True, check=False)
    if listed.returncode == 128:
        pytest.skip("needs a git repository")
    with_old = {release.ROOT / name for name in listed.stdout.split()}
    assert with_old == texts.keys()
    for text in texts.values():
        assert not any(value in text for value in _STATED)
    setup = texts[release.ROOT / "amigobot_driver" / "setup.py"]
    assert 'URL = "https://code.test/robots/amigobot"' in setup
    assert 'maintainer_email="person@code.test"' in setup


def test_placeholders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _PRESENT.keys() == PROJECT.keys()
    monkeypatch.setattr(release, "PROJECT", tmp_path / "project.yaml")
    release.PROJECT.write_text(yaml.safe_dump(PROJECT | {"email": "maintainers@example.org"}), encoding="utf-8")
    assert release.main() == 1
