"""The commands on the pages of the documentation: found in the fenced blocks, with the output that a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Pages whose blocks are generated from the code, or are no commands.
_LEFT_OUT = {"docs/protocol.md", "docs/cli.md", "docs/reference/messages.md", "docs/performance.md"}
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.relative_to(ROOT).as_posix() not in _LEFT_OUT
]
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<content>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
#: First words of a block without a language that is made of commands.
_HEADS = re.compile(r"^(\./run|amigobot|apt|colcon|cp|docker|git|make|python3|ros2|rviz2|sudo|xacro)\b")


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
    for block in blocks(path, "", "bash", "sh"):
        if _HEADS.match(block):
            for line in _joined(block).splitlines():
                if line.strip() and not line.startswith("#"):
                    yield PageCommand(name, _without_comment(line))


def _joined(block: str) -> str:
    """The block with each command on one line."""
    return re.sub(r" *\\\n\s*", " ", block)


def _without_comment(line: str) -> str:
    return re.sub(r"\s+# .*$", "", line).strip()
