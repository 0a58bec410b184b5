# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Pages whose tables are written from the code.

A table stands between the lines `<!-- generated: NAME ARGUMENTS -->` and `<!-- end -->`. The text around it is written
by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

#: Makes the lines of a table from the arguments in the page.
Table = Callable[..., Iterator[str]]

_BLOCK = re.compile(r"(<!-- generated: (\w+)((?: [\w.-]+)*) -->\n).*?(<!-- end -->)", re.DOTALL)


class Tables(dict[str, Table]):
    """The tables of some pages, by name."""

    def add(self, function: Table) -> Table:
        """Make a function a table; its name is that in the pages."""
        self[function.__name__] = function
        return function

    def filled(self, page: str, convert: Callable[[str], str] = str) -> str:
        """Return the text of a page with its tables as the code has them, each converted."""

        def block(match: re.Match[str]) -> str:
            head, name, arguments, end = match.groups()
            lines = "\n".join(self[name](*arguments.split()))
            return f"{head}\n{convert(lines)}\n\n{end}"

        return _BLOCK.sub(block, page)


def rows(head: Iterable[str], body: Iterable[Iterable[object]]) -> Iterator[str]:
    """A table in Markdown."""
    for number, cells in enumerate([list(head), *map(list, body)]):
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
        if number == 0:
            yield "|" + "---|" * len(cells)
