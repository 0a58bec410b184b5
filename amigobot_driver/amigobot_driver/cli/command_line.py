# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Parses the command line, and runs the chosen subcommand."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from ..errors import AmigoBotError
from .subcommands import Subcommand, explained, find_subcommands
from .usage_error import UsageError

_EPILOG = """\
Without a robot:
    amigobot demo                         a simulated robot drives a tour
    amigobot teleop                       drive it with the keys
With a robot:
    amigobot find                         where it is connected
    amigobot teleop --port /dev/ttyUSB0   the first time: lift its wheels

`amigobot SUBCOMMAND --help` explains a subcommand.

Exit status: 0 success; 1 the robot or a file did not do what was asked; 2 wrong usage, or something is not installed;
130 ended with Ctrl-C, 128 + N by signal N. Each failure is one line on standard error.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Fits paragraphs to the width of the terminal; a paragraph with indented lines, such as examples, stays."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.rstrip().split("\n\n")
        return "\n\n".join(
            paragraph if "\n " in f"\n{paragraph}" else textwrap.fill(paragraph, width) for paragraph in paragraphs
        )


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, as the subcommands do."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse would hide that standard output is full."""
        print(self.format_help(), end="", file=file)


class _Version(argparse.Action):
    """Prints the version and the folder of the package. Reads the version only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version
        from pathlib import Path

        print(f"amigobot {version('amigobot_driver')} ({Path(__file__).resolve().parents[1]})")
        parser.exit()


def run(arguments: Sequence[str]) -> int:
    """Run the command line, and return the exit status; see `main`."""
    subcommands = find_subcommands()
    name = _chosen(arguments, subcommands)
    if name and name not in subcommands:
        return _failed("", _unknown_text(name, subcommands), 2)
    subcommand = subcommands.get(name)
    try:
        parser, subparser = _parsers(subcommands, subcommand)
        if "_ARGCOMPLETE" in os.environ:
            _complete(parser)
        if subcommand is None or subparser is None:
            parser.parse_args(arguments)
            parser.print_help()
            return 0
        args = subparser.parse_intermixed_args(arguments[1:])
        status: int = subcommand.load().run(args)
        return status
    except UsageError as error:
        return _failed(name, error, 2)
    except ImportError as error:
        return _failed(name, explained(error), 2)
    except AmigoBotError as error:
        return _failed(name, error, 2 if isinstance(error, ValueError) else 1)  # what the user typed, or what happened
    except OSError as error:
        if not error.filename:  # standard output, see `main`
            raise
        return _failed(name, f"{error.filename}: {error.strerror}", 1)


def _failed(subcommand: str, problem: object, status: int) -> int:
    """Print why a subcommand has failed, and return the exit status."""
    print(f"{f'amigobot {subcommand}'.rstrip()}: {problem}", file=sys.stderr)
    return status


def _chosen(arguments: Sequence[str], subcommands: Container[str]) -> str:
    """Return the subcommand on the command line, or on the line that a shell completes; "" for none."""
    if "_ARGCOMPLETE" in os.environ:
        # The last word is still being typed.
        words = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))].split(" ")[:-1]
        return next((word for word in words if word in subcommands), "")
    return next((word for word in arguments[:1] if not word.startswith("-")), "")


def _parsers(
    subcommands: Mapping[str, Subcommand], chosen: Subcommand | None
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """Return the parser of the line, which has only the chosen subcommand if there is one, and its parser."""
    parser = _Parser(
        prog="amigobot",
        description="Tools for AmigoBot robots, real and simulated.",
        epilog=_EPILOG,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and the folder, and exit")
    subparser = None
    commands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND")
    for subcommand in subcommands.values() if chosen is None else [chosen]:
        subparser = commands.add_parser(
            subcommand.name,
            help=subcommand.summary.replace("%", "%%"),
            description=subcommand.documentation(),
            formatter_class=_Help,
        )
        if chosen is not None:
            chosen.load().add_arguments(subparser)
    return parser, subparser if chosen else None


def _complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that completes the command line; argcomplete then ends the process."""
    with suppress(ImportError):
        import argcomplete

        argcomplete.autocomplete(parser)


def _unknown_text(name: str, subcommands: Mapping[str, Subcommand]) -> str:
    known = f"subcommand {name!r} is not known, allowed: {', '.join(subcommands)}"
    if any(not subcommand.module.startswith(f"{__package__}.") for subcommand in subcommands.values()):
        return known
    return f"{known}; more subcommands come with the package amigobot_tools: python3 -m pip install ./amigobot_tools"
