# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write the generated parts of docs/cli.md: what each verb says of itself, and its options.

./run python -m tools.cli_page

A part stands between the lines `<!-- generated: VERB -->` and `<!-- end -->`. The text around it is written by hand.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from amigobot_driver.cli.verbs import find_verbs

FILE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def text(page: str) -> str:
    """The page with every generated part written anew."""
    return BLOCK.sub(lambda match: f"{match[1]}{part(match[2])}{match[3]}", page)


def part(name: str) -> str:
    """What a verb says of itself, and a table of its arguments."""
    module = find_verbs()[name].load()
    parser = argparse.ArgumentParser(prog=f"amigobot {name}")
    module.add_arguments(parser)
    lines = "\n".join(f"| `{argument}` | {meaning} |" for argument, meaning in arguments(parser))
    table = f"| argument | |\n|---|---|\n{lines}\n\n" if lines else ""
    return f"{inspect.cleandoc(module.__doc__ or '')}\n\n{table}"


def arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Each argument as one types it, and its meaning, in an order and wording that no version of Python changes."""
    for action in parser._actions:
        if action.dest == "help":
            continue
        values = {**vars(action), "prog": parser.prog}
        choices = "{" + ",".join(map(str, action.choices or ())) + "}"
        shown = choices if action.choices else action.metavar or action.dest.upper()
        name = ", ".join(action.option_strings) or action.dest
        value = f" {shown}" if action.nargs != 0 and (action.option_strings or action.choices) else ""
        meaning = (action.help or "") % values
        yield f"{name}{value}".replace("|", "\\|"), " ".join(meaning.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    FILE.write_text(text(FILE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
