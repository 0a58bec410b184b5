# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sections of docs/protocol as small pages, for the links of the packet inspector."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

_FOLDER = "docs/protocol"
#: A section: its heading, and everything up to the next heading with a number.
_SECTION = r"^#{{1,3}} {}\.? (.*)$(?s:(.*?))(?=^#{{1,3}} \d|\Z)"
_NUMBER = re.compile(r"\d+(\.\d+)?")


def section_page(number: str) -> str | None:
    """Return a section of the protocol reference as HTML; None if there is none, or the document is not here.

    Args:
        number: Number of the section, such as 5.2.
    """
    folder = protocol_folder()
    for document in sorted(folder.glob("*.md")) if folder and _NUMBER.fullmatch(number) else ():
        text = document.read_text(encoding="utf-8")
        if section := re.search(_SECTION.format(re.escape(number)), text, re.MULTILINE):
            title, body = section[1], escape(re.sub(r"<!--.*?-->\n*", "", section[2]).strip())
            return (
                '<!doctype html><html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f"<title>{escape(title)}</title><link rel='stylesheet' href='/static/style.css'></head>"
                f"<body class='document'><h1>{number} {escape(title)}</h1><pre>{body}</pre></body></html>"
            )
    return None


def protocol_folder() -> Path | None:
    """Return the protocol book among the sources of the project; None where this package is installed alone."""
    for folder in Path(__file__).resolve().parents:
        if (found := folder / _FOLDER).is_dir():
            return found
    return None
