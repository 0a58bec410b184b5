# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sections of docs/protocol as small pages, for the links of the packet inspector."""

from __future__ import annotations

import functools
import re
from html import escape
from pathlib import Path

_FOLDER = "docs/protocol"
_HEADING = re.compile(r"^(#{1,3}) (\d+(?:\.\d+)?)\.? (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\d+(\.\d+)?")


def is_here() -> bool:
    """Whether docs/protocol is on this computer."""
    return _folder() is not None


def section_page(number: str) -> str | None:
    """Return a section of the protocol reference as HTML; None if there is none, or the document is not here.

    Args:
        number: Number of the section, such as 5.2.
    """
    if not _NUMBER.fullmatch(number):
        return None
    for heading, title, text in _sections():
        if heading == number:
            body = escape(re.sub(r"<!--.*?-->\n*", "", text).strip())
            return (
                '<!doctype html><html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f"<title>{escape(title)}</title><link rel='stylesheet' href='/static/style.css'></head>"
                f"<body class='document'><h1>{escape(heading)} {escape(title)}</h1><pre>{body}</pre></body></html>"
            )
    return None


@functools.cache
def _sections() -> list[tuple[str, str, str]]:
    """Number, title and text of each section."""
    folder = _folder()
    sections = []
    for document in sorted(folder.glob("*.md")) if folder else ():
        text = document.read_text(encoding="utf-8")
        found = list(_HEADING.finditer(text))
        ends = [match.start() for match in found[1:]] + [len(text)]
        sections += [(match[2], match[3], text[match.end() : end]) for match, end in zip(found, ends, strict=True)]
    return sections


def _folder() -> Path | None:
    """The protocol book among the sources of the project; None where this package is installed alone."""
    for folder in Path(__file__).resolve().parents:
        if (found := folder / _FOLDER).is_dir():
            return found
    return None
