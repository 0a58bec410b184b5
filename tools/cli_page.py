# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write the generated parts of docs/cli.md: what each subcommand says of itself, and its options.

./run python -m tools.cli_page

A part stands between the lines `<!-- generated: SUBCOMMAND -->` and `<!-- end -->`; that of `subcommands` is the table
of all, that of `common` has the arguments that choose a robot. The text around it is written by hand.
"""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from amigobot_driver.cli.robot_arguments import add_node_arguments, add_robot_arguments
from amigobot_driver.cli.subcommands import BUILT_IN, find_subcommands
from tools.generated_tables import rows

FILE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
#: The part with the table of all subcommands.
TABLE = "subcommands"
#: The part with the arguments that choose a robot or a node, which most subcommands have.
COMMON = "common"
#: Where the page of the simulator has what `amigobot sim --help` says below its options.
_BELOW = {
    "--as": "robots-as-reported",
    "--fault": "faults",
    "--wear": "wear-and-sonars",
    "--sonar": "wear-and-sonars",
}


def text(page: str) -> str:
    """The page with every generated part written anew."""
    return BLOCK.sub(lambda match: f"{match[1]}{part(match[2])}{match[3]}", page)


def part(name: str) -> str:
    """What a subcommand says of itself, and a table of its arguments; or the table of all subcommands."""
    if name == TABLE:
        return "\n".join(packages()) + "\n\n"
    common = argparse.ArgumentParser()
    add_robot_arguments(common)
    add_node_arguments(common)
    shared = dict(arguments(common))
    if name == COMMON:
        return _table(shared)
    module = find_subcommands()[name].load()
    parser = argparse.ArgumentParser(prog=f"amigobot {name}")
    module.add_arguments(parser)
    own = {argument: meaning for argument, meaning in arguments(parser) if shared.get(argument) != meaning}
    others = [argument.partition(" ")[0] for argument, _ in arguments(parser) if argument in shared.keys() - own.keys()]
    names = "" if len(others) == len(shared) else f": {', '.join(f'`{name}`' for name in others)}"
    also = f"Also [common arguments](#common-arguments){names}.\n\n" if others else ""
    return f"{_described(inspect.cleandoc(module.__doc__ or ''))}\n\n{_table(own)}{also}"


def _table(meanings: dict[str, str]) -> str:
    """The arguments as `--help` prints them, and links to the values of those that the simulator's page explains."""
    if not meanings:
        return ""
    width = min(max(map(len, meanings)), 30)
    lines = []
    for argument, meaning in meanings.items():
        text = textwrap.wrap(meaning.removesuffix("; see below"), 116 - width) or [""]
        lines += [f"{'' if number else argument:<{width}}  {line}".rstrip() for number, line in enumerate(text)]
    pages = {
        _BELOW[argument.partition(" ")[0]] for argument, meaning in meanings.items() if meaning.endswith("; see below")
    }
    links = ", ".join(f"[{page.replace('-', ' ')}](explanation/simulator.md#{page})" for page in sorted(pages))
    return "```text\n" + "\n".join(lines) + "\n```\n\n" + (f"Values: {links}.\n\n" if links else "")


def packages() -> Iterator[str]:
    """A table of the packages with the subcommands that each adds."""
    links: dict[str, list[str]] = {"amigobot_driver": [], "amigobot_tools": []}
    for name in sorted(find_subcommands()):
        links["amigobot_driver" if name in BUILT_IN else "amigobot_tools"].append(f"[{name}](#{name})")
    return rows(("package", "subcommands"), ((package, ", ".join(names)) for package, names in links.items()))


def _described(text: str) -> str:
    """The text with its indented lines as blocks of code, and with every backslash escaped for Markdown."""
    parts = re.split(r"((?:^    .*\n?)+)", text, flags=re.MULTILINE)
    plain = [part.replace("\\", "\\\\") for part in parts[::2]]
    code = [f"```text\n{inspect.cleandoc(part)}\n```\n" for part in parts[1::2]]
    return "".join(part for pair in zip(plain, [*code, ""], strict=True) for part in pair)


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
        yield f"{name}{value}", " ".join(meaning.split())


if __name__ == "__main__":
    FILE.write_text(text(FILE.read_text(encoding="utf-8")), encoding="utf-8")
