# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The person at a terminal: reads what a step asks, answers in lines, and stops the robot with any key."""

from __future__ import annotations

import contextlib

from rich.console import Console
from rich.panel import Panel

from ..keys import Keyboard, TerminalClosedError, keyboard
from .questions import AskedPerson

_EVENTS = {"focus", "focus lost"}


class TerminalPerson(AskedPerson):
    """Asks on a terminal. Use it in a `with` block, which restores the terminal at its end.

    Args:
        console: Where to print.
        asks: False (`--yes`): nobody is asked, the wheels are off the floor, and what needs hands or eyes is skipped.

    Raises:
        TerminalClosedError: Standard input is not a terminal.
    """

    def __init__(self, console: Console, *, asks: bool) -> None:
        self._console, self._asks = console, asks
        self._raw = contextlib.ExitStack()
        self._keys: Keyboard | None = None  #: while a key stops the robot; a question reads lines
        self.stopped()

    def __enter__(self) -> TerminalPerson:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step; ask whether it may begin if anything moves."""
        if not moves or not self._asks:
            self._console.print(f"[bold]{title}[/]: {text}")
            return True
        body = f"{text}\n\n[bold red]What moves: {moves}.[/] Any key stops it."
        self._console.print(Panel(body, title=title, title_align="left"))
        return self._answer("Enter: begin, s: skip, q: end ") != "s"

    def ask(self, verb: str, what: str, text: str, value: float = 0.0) -> bool | float | None:
        """Ask for something to be done, for a number in m or deg, or yes or no."""
        if not self._asks:
            return what == "LIFT" if verb == "do" else None
        return super().ask(verb, what, text, value)

    def read_line(self, prompt: str) -> str:
        """Read a line."""
        self._raw.close()
        self._keys = None
        try:
            return self._console.input(prompt, markup=False)
        except EOFError:
            raise TerminalClosedError("the terminal was closed") from None

    def tell(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def stopped(self) -> bool:
        """Return whether a key was pressed; without a keyboard Ctrl-C ends the program."""
        if self._asks and self._keys is None:
            self._keys = self._raw.enter_context(keyboard())
        return self._keys is not None and any(key not in _EVENTS for key in self._keys.read(0.0))
