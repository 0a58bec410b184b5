# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/glossary.md: a list that a reader can search, with links that lead to a place."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| (.*?) ?\|$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
TERMS = [term for term, _, _ in ROWS if term != "Term"]


def test_terms_are_in_alphabetical_order_and_each_stands_once() -> None:
    assert len(TERMS) > 60
    assert sorted(set(TERMS), key=str.casefold) == TERMS


def test_every_term_is_explained_in_a_sentence() -> None:
    assert [term for term, meaning, _ in ROWS[1:] if not meaning.endswith(".") or len(meaning) < 25] == []
