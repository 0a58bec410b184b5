# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The commands on the pages of the documentation: found in the blocks of the language `console`, with their output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted(path for pattern in ("*.md", "amigobot_*/README.md", "docs/**/*.md") for path in ROOT.glob(pattern))
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w{}]*)\n(?P<content>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
#: A line of the examples that a subcommand gives of itself: two spaces or more end the command.
_EXAMPLE = re.compile(r"^(amigobot .*?)(?:  .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageCommand:
    """A command of a page."""

    page: str
    text: str  #: one line, without prompt and comment
    output: str = ""  #: what the page shows below it


def blocks(path: Path, *languages: str) -> Iterator[str]:
    """The contents of the fenced blocks in these languages."""
    for match in _FENCE.finditer(path.read_text(encoding="utf-8")):
        if match["language"] in languages:
            indent = match["indent"]
            yield "".join(line.removeprefix(indent) for line in match["content"].splitlines(keepends=True))


def commands(path: Path) -> Iterator[PageCommand]:
    """Every command of a page, in its order."""
    name = path.relative_to(ROOT).as_posix()
    for block in blocks(path, "console"):
        for part in re.split(r"^\$ ", _joined(block), flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield PageCommand(name, _without_comment(command), output.strip())


def examples(path: Path) -> Iterator[PageCommand]:
    """The commands of `amigobot` in the blocks of examples that docs/cli.md has from the code."""
    name = path.relative_to(ROOT).as_posix()
    for block in blocks(path, "text"):
        for line in _EXAMPLE.findall(block):
            yield PageCommand(name, line)


def _joined(block: str) -> str:
    """The block with each command on one line."""
    return re.sub(r" *\\\n\s*", " ", block)


def _without_comment(line: str) -> str:
    return re.sub(r"\s+# .*$", "", line).strip()
