# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One file has the address of the project and its maintainer, and `make release` writes them everywhere."""

from __future__ import annotations

import subprocess

import pytest
import yaml
from tools import release

PROJECT = {
    "url": "https://code.test/robots/amigobot",
    "maintainer": "A Person",
    "email": "person@code.test",
    "owners": "@person",
}
_PLACEHOLDERS = ("example.org", "@example/", "REPOSITORY_URL")
_EXCLUDED = (":!tools/project.yaml", ":!tools/release.py", ":!*test_*")
_COMMAND = ["git", "-C", str(release.ROOT), "grep", "-lE", "|".join(_PLACEHOLDERS), "--", ".", *_EXCLUDED]


def test_real_values_replace_every_placeholder() -> None:
    texts = release.written(PROJECT)
    listed = subprocess.run(_COMMAND, capture_output=True, text=True, check=False)
    if listed.returncode == 128:
        pytest.skip("needs a git repository")
    with_placeholder = {release.ROOT / name for name in listed.stdout.split()}
    assert with_placeholder == texts.keys()
    for text in texts.values():
        assert not any(placeholder in text for placeholder in _PLACEHOLDERS)
    setup = texts[release.ROOT / "amigobot_driver" / "setup.py"]
    assert 'URL = "https://code.test/robots/amigobot"' in setup
    assert 'maintainer_email="person@code.test"' in setup


def test_placeholders_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main() == 1
    assert "write the real values first" in capsys.readouterr().err
    assert PROJECT.keys() == yaml.safe_load(release.PROJECT.read_text(encoding="utf-8")).keys()
