"""The `amigobot` command: one module for each verb.

The module of a verb has `add_arguments(parser)` and `run(args)`, which returns the exit status or raises `UsageError`.
The first line of its docstring is the help text of the verb.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from .errors import UsageError

#: The verbs: names of modules in this package.
VERBS = ("sim", "config", "describe")


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, as the verbs do."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: Arguments; None takes those of the process.

    Returns:
        Exit status: 0 success, 1 failure, 2 wrong usage, reported in one line.
    """
    parser = _Parser(prog="amigobot", description="Tools for AmigoBot robots, real and simulated.")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    modules: dict[str, ModuleType] = {}
    for name in VERBS:
        module = importlib.import_module(f"{__name__}.{name}")
        summary, _, details = (module.__doc__ or "").partition("\n")
        verb = verbs.add_parser(
            name,
            help=summary,
            description=f"{summary}\n{details}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(verb)
        modules[name] = module
    args = parser.parse_args(argv)
    if args.verb is None:
        parser.print_help()
        return 0
    try:
        status: int = modules[args.verb].run(args)
        return status
    except UsageError as error:
        print(f"amigobot {args.verb}: {error}", file=sys.stderr)
        return 2
