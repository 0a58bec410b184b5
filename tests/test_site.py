# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The documentation site: it builds without a warning, needs no network, and every page can be reached by reading."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="sphinx is not installed")
pytest.importorskip("furo", reason="furo is not installed")
pytest.importorskip("amigobot_tools.bag", reason="amigobot_tools is not found: its modules are on the pages")

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", str(DOCS), str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.timeout(300)
def test_the_site_builds_and_loads_nothing_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    loaded = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"(?:https?:)?//|<link[^>]+href=\"(?:https?:)?//(?!.*canonical)"
    )
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("folder", ["tutorials", "how-to", "migration", "reference"])
def test_a_folders_index_names_every_page(folder: str) -> None:
    index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (DOCS / folder).glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"({page}" not in index} == set()
