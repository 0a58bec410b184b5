# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Citations lead somewhere inside the repository: sections and errata of docs/protocol.md, files in docs/, anchors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools import protocol_tables

ROOT = Path(__file__).parents[2]
PAGE = protocol_tables.FILE.read_text(encoding="utf-8")
SECTIONS = {number for number, _ in protocol_tables.sections(PAGE)}
ERRATA = set(re.findall(r'<a id="e-\d\d"></a>(E-\d\d)', PAGE))

#: Folders of things that are made, not written; and logs of changes, which keep what they said at the time.
MADE = {"build", "install", "log", "demo", "__pycache__", "node_modules"}
WRITTEN = {
    ".py",
    ".md",
    ".yaml",
    ".yml",
    ".toml",
    ".cfg",
    ".xml",
    ".xacro",
    ".txt",
    ".json",
    ".msg",
    ".srv",
    ".action",
    "",
}

#: Documents that are not part of the repository.
ELSEWHERE = re.compile(
    r"\b(?:PROTOCOL|DESIGN|ANCHORS|STYLE)\.md\b|\b(?:PROTOCOL|DESIGN|ANCHORS|STYLE),?\s+(?:sections?\s+)?\d"
)
#: "docs/protocol.md 5.2", "docs/protocol.md 4.1, 5.11-5.15 and E-42", also where a comment breaks after the comma.
CITED = re.compile(
    r"docs/protocol\.md (?P<list>(?:E-\d\d|\d+(?:\.\d+)?)(?:(?:,| and| to|-|,\s*#:?)\s*(?:E-\d\d|\d+\.\d+\b))*)"
)
ERRATUM = re.compile(r"(?<![\w.])E-\d\d\b")
#: An erratum that names no document.
NOWHERE = re.compile(r"\b[Ee]rrat(?:um|a)\s+E-\d\d")
FILE = re.compile(r"(?<![\w/.-])(docs/[\w./-]*\w\.(?:md|png|svg))")
ANCHOR = re.compile(r"\]\(((?:[\w./-]*/)?protocol\.md)#([\w-]+)\)")


def texts() -> Iterator[Path]:
    """Every text file of the repository that is not generated."""
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in MADE and (not name.startswith(".") or name == ".ci")]
        for name in names:
            path = Path(folder, name)
            if path.suffix in WRITTEN and name != "CHANGELOG.rst" and path != Path(__file__):
                yield path


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


TEXTS = {path.relative_to(ROOT).as_posix(): text for path in sorted(texts()) if (text := read(path))}
CODE = {name: text for name, text in TEXTS.items() if not name.endswith(".md")}


def faults(text: str, *, is_code: bool) -> list[str]:
    """What a text cites that a reader of the repository cannot find."""
    found = [f"{match[0]!r}: not in the repository" for match in ELSEWHERE.finditer(text)]
    found += [f"{match[1]}: no such file" for match in FILE.finditer(text) if not (ROOT / match[1]).exists()]
    for match in CITED.finditer(text):
        for number in re.findall(r"E-\d\d|\d+(?:\.\d+)?", match["list"]):
            if number not in SECTIONS | ERRATA:
                found.append(f"docs/protocol.md has no {number}")
    found += [f"docs/protocol.md has no {number}" for number in ERRATUM.findall(text) if number not in ERRATA]
    if is_code:
        found += [f"{match[0]!r} names no document" for match in NOWHERE.finditer(text)]
        if ERRATUM.search(text) and "protocol.md" not in text:
            found.append(f"{ERRATUM.findall(text)[0]} without docs/protocol.md anywhere in the file")
    return found


def test_the_search_finds_the_repository() -> None:
    assert len(TEXTS) > 200
    assert {
        "README.md",
        "docs/protocol.md",
        "amigobot_driver/amigobot_driver/protocol/sip.py",
        "Makefile",
    } <= TEXTS.keys()
    assert sum(len(CITED.findall(text)) for text in CODE.values()) > 100


def test_every_citation_leads_into_the_repository() -> None:
    wrong = {name: found for name, text in TEXTS.items() if (found := faults(text, is_code=name in CODE))}
    assert wrong == {}


def test_every_link_to_the_reference_names_an_anchor_that_is_there() -> None:
    anchors = set(re.findall(r'<a id="([\w-]+)">', PAGE)) | {slug for _, slug in protocol_tables.sections(PAGE)}
    wrong = [
        (name, anchor) for name, text in TEXTS.items() for _, anchor in ANCHOR.findall(text) if anchor not in anchors
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "as " + "PROTOCOL 5.2 says",
        "see " + "PROTOCOL sections 5.2",
        "safety (" + "DESIGN 5)",
        "(" + "ANCHORS 3)",
        "in " + "DESIGN.md",
        "an " + "erratum E-42",
        "E-42 without its page",
        "docs/protocol.md 5.99",
        "docs/protocol.md 4.1, 5.99",
        "docs/protocol.md 5.11-5.99",
        "docs/protocol.md E-99",
        "docs/protocol.md 5.2, E-99",
        "docs/missing.md",
    ],
)
def test_a_citation_that_leads_nowhere_is_found(text: str) -> None:
    assert faults(text, is_code=True)


@pytest.mark.parametrize(
    "text",
    [
        "docs/protocol.md 5.2",
        "docs/protocol.md 2.2 and 4), each",
        "docs/protocol.md 4.1, 5.11-5.15, E-42 to E-44",
        "docs/protocol.md 3.3, 0xFF",
        "docs/protocol.md 1.4.",
        "1.5E-05 and 2E-10",
        "docs/odometry.md",
    ],
)
def test_a_citation_that_leads_somewhere_is_not(text: str) -> None:
    assert faults(text, is_code=True) == []
