# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings of the documentation site: `make docs` writes build/site/index.html."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from docutils.transforms import Transform
from sphinx.application import Sphinx

project = "amigobot_driver"
author = "the authors of amigobot_driver"
copyright = "the authors of amigobot_driver, Apache-2.0"
html_title = "amigobot_driver"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
#: Quotes and `--option` stay as they are typed: a dash made of two hyphens cannot be pasted.
smartquotes = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"  # of the docstrings
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
copybutton_exclude = ".linenos, .gp, .go"

#: `<a id="e-42"></a>`: an anchor that works on a page of the repository, too.
ANCHOR = re.compile(r'<a id="([\w-]+)">')

#: Files at the root of the repository that are pages of the site.
ROOT_FILES = {
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
    "QUALITY_DECLARATION.md": "project/quality",
}
#: A page of this folder, as docstrings name it.
PAGE = re.compile(r"docs/([\w/-]+)\.md")
#: A section of the protocol book, as docstrings cite it.
BOOK = re.compile(r"docs/protocol (?=\d|E-)")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


class Anchors(Transform):
    """Make the anchors that a page has as HTML known to the links of this and of other pages."""

    default_priority = 800  # before the links inside a page are resolved

    def apply(self) -> None:
        """Register each anchor of the page."""
        slugs = getattr(self.document, "myst_slugs", {})
        for node in self.document.findall(nodes.raw):
            for name in ANCHOR.findall(node.astext()):
                slugs[name] = (node.line or 0, name, name)
        self.document.myst_slugs = slugs


def read_root_file(app: Sphinx, name: str, source: list[str]) -> None:
    """Replace the text of a page by that of the file at the root, its links as they are from the page."""
    for file, page in ROOT_FILES.items():
        if page == name:
            text = (Path(app.srcdir).parent / file).read_text(encoding="utf-8")
            source[0] = LINK.sub(lambda match: f"]({_from_page(match[1])}", text)


def _from_page(target: str) -> str:
    return f"/{ROOT_FILES[target]}.md" if target in ROOT_FILES else f"../../{target}"


def mark_examples(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Make the indented lines after an empty one in a docstring an example, in place."""
    for number in range(len(lines) - 1, 1, -1):
        before = next(line for line in reversed(lines[:number]) if line.strip() or line is lines[0])
        if lines[number].startswith("    ") and not lines[number - 1] and not before.startswith(" "):
            lines[number:number] = ["::", ""]


def link_pages(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Make a page that a docstring names a link, in place."""
    lines[:] = [BOOK.sub(":doc:`/protocol/index` ", PAGE.sub(r":doc:`/\1`", line)) for line in lines]


def setup(app: Sphinx) -> None:
    """Add what is above."""
    app.connect("source-read", read_root_file)
    app.connect("autodoc-process-docstring", link_pages)
    app.connect("autodoc-process-docstring", mark_examples, priority=400)  # before the sections become lists
    app.add_transform(Anchors)
