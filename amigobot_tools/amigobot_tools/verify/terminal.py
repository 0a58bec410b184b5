# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The person at a terminal: reads what a step asks, answers in lines, and stops the robot with any key."""

from __future__ import annotations

import contextlib

from rich.console import Console
from rich.panel import Panel

from amigobot_driver.wording import wrong_type

from ..keys import Keyboard, TerminalClosedError, keyboard
from .client import StoppedError

_EVENTS = {"focus", "focus lost"}
_LIMITS = {"deg": 180.0, "m": 10.0}  # of a measurement


class TerminalPerson:
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
        return self._line("Enter: begin, s: skip, q: end ") != "s"

    def ask(self, verb: str, what: str, text: str, value: float = 0.0) -> bool | float | None:
        """Ask for something to be done, for a number in m or deg, or yes or no."""
        if not self._asks:
            return what == "LIFT" if verb == "do" else None
        if verb == "measure":
            return self._number(text, "deg" if what == "TURNED" else "m")
        if verb == "do":
            return self._line(f"{text}\nEnter: done, s: skip, q: end ") != "s"
        return {"y": True, "n": False}.get(self._line(f"{text} y, n, or Enter: not seen; q: end "))

    def _number(self, text: str, unit: str) -> float | None:
        limit = _LIMITS[unit]
        while answer := self._line(f"{text} [{unit}; empty: skip] "):
            try:
                if abs(value := float(answer.replace(",", "."))) <= limit:
                    return value
            except ValueError:
                pass
            problem = wrong_type("the answer", answer, f"a number from {-limit:g} to {limit:g} {unit}")
            self.tell(problem)
        return None

    def _line(self, prompt: str) -> str:
        """Read a line. Raises StoppedError for q."""
        self._raw.close()
        self._keys = None
        try:
            answer = self._console.input(prompt, markup=False).strip().lower()
        except EOFError:
            raise TerminalClosedError("the terminal was closed") from None
        if answer == "q":
            raise StoppedError
        return answer

    def tell(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def stopped(self) -> bool:
        """Return whether a key was pressed; without a keyboard Ctrl-C ends the program."""
        if self._asks and self._keys is None:
            self._keys = self._raw.enter_context(keyboard())
        return self._keys is not None and any(key not in _EVENTS for key in self._keys.read(0.0))
