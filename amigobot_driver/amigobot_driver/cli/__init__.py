# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The `amigobot` command: one module for each subcommand.

The module of a subcommand has `add_arguments(parser)` and `run(args)`, which returns the exit status or raises
`UsageError`. The first line of its docstring is the help text. Only the module of the chosen subcommand is imported.
An `AmigoBotError` of a subcommand, and a file that cannot be opened, are reported in one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from .. import signals
from .usage_error import UsageError

__all__ = ["UsageError", "end_quietly", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; None takes the arguments of the process. Return the status of `end_quietly`."""
    return end_quietly(_run, sys.argv[1:] if argv is None else argv)


def _run(argv: Sequence[str]) -> int:
    # Imported here: Ctrl-C acts in the meantime, too.
    from .command_line import run

    return run(argv)


def end_quietly(run: Callable[..., int], *arguments: object) -> int:
    """Run a command; report a signal or an output that cannot be written in one line. Return the exit status.

    It is 1 for such an output, 130 after Ctrl-C, 128 + N after another signal N, else what `run` has returned.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the program was started with this descriptor closed
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    with signals.first_ends_command() as ended:
        try:
            try:
                status = run(*arguments)
            finally:
                sys.stdout.flush()
        except (KeyboardInterrupt, signals.TerminatedError) as end:
            status = 130
            with suppress(OSError):
                if not isinstance(end, KeyboardInterrupt):
                    print(f"amigobot: {end}", file=sys.stderr)
        except OSError as error:
            status = 1
            with suppress(OSError):
                # The reader of the output has ended, as in `| head`, or the terminal was closed.
                if not (ended or isinstance(error, BrokenPipeError)):
                    print(f"amigobot: the output: {error.strerror}", file=sys.stderr)
            _discard_output()
    return 128 + ended[0] if ended else status


def _discard_output() -> None:
    """Keep Python from writing the rest at its end, if that fails again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
