# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The person at a terminal: reads what a step asks, answers with keys, and stops the robot with any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from rich.console import Console
from rich.panel import Panel

from amigobot_driver.wording import wrong_type

from ..keys import Keyboard
from .client import StoppedError
from .person import Action, AfterStop, Look, Measure, Request

V = TypeVar("V")

_EVENTS = {"focus", "focus lost"}
_POLL_PERIOD = 0.2  # s between two checks of the keyboard during a question
_LIMITS = {"deg": 180.0, "m": 10.0}  # of a measurement


class TerminalPerson:
    """Asks on a terminal.

    Args:
        keys: The keyboard of the terminal; None (`--yes`): nobody is asked, the wheels are off the floor, and what
            needs hands or eyes is skipped.
        console: Where to print.
    """

    def __init__(self, keys: Keyboard | None, console: Console) -> None:
        self._keys, self._console = keys, console

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step; ask whether it may begin if anything moves."""
        if not moves or self._keys is None:
            self._console.print(f"[bold]{title}[/]: {text}")
            return True
        body = f"{text}\n\n[bold red]What moves: {moves}.[/] Any key stops it."
        self._console.print(Panel(body, title=title, title_align="left"))
        return self._choose("  [dim]Enter: begin, s: skip, q: stop here[/]", {"enter": True, "s": False})

    def do(self, request: Request) -> bool:
        """Ask for something to be done."""
        if self._keys is None:
            return request.action is Action.LIFT
        self._console.print(f"[bold yellow]{request.text}[/]")
        return self._choose("  [dim]Enter: done, s: skip, q: stop here[/]", {"enter": True, "s": False})

    def measure(self, what: Measure, text: str) -> float | None:
        """Ask for a number in m or deg."""
        unit = "deg" if what is Measure.TURNED else "m"
        limit = _LIMITS[unit]
        while answer := self._line(f"{text} [{unit}; empty: skip] "):
            try:
                if abs(value := float(answer.replace(",", "."))) <= limit:
                    return value
            except ValueError:
                pass
            problem = wrong_type("the answer", answer, f"a number from {-limit:g} to {limit:g} {unit}")
            self._console.print(problem, markup=False)
        return None

    def look(self, what: Look, text: str) -> bool | None:
        """Ask yes or no."""
        if self._keys is None:
            return None
        return self._choose(f"  [dim]{text} y, n, s: not seen[/]", {"y": True, "n": False, "s": None})

    def tell(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def stopped(self) -> bool:
        """Return whether a key was pressed; without a keyboard Ctrl-C ends the program."""
        return self._keys is not None and any(key not in _EVENTS for key in self._keys.read(0.0))

    def after_stop(self) -> AfterStop:
        """Ask what to do after a stop."""
        self._console.print("[bold red]Stopped; the motors are off.[/]")
        choices = {"r": AfterStop.REPEAT, "s": AfterStop.SKIP, "q": AfterStop.END, "quit": AfterStop.END}
        return self._choose("r: repeat this step, s: skip it, q: end", choices)

    def _choose(self, question: str, choices: Mapping[str, V]) -> V:
        self._console.print(question)
        while True:
            for key in self._read():
                if key in choices:
                    return choices[key]
                if key in ("q", "quit"):
                    raise StoppedError

    def _line(self, prompt: str) -> str:
        """Read a line: the terminal sends every key at once."""
        if self._keys is None:
            return ""
        self._console.print(prompt, end="", markup=False, highlight=False)
        text = ""
        while True:
            for key in self._read():
                if key == "enter":
                    self._console.print()
                    return text
                if key in ("quit", "escape"):
                    raise StoppedError
                if key in ("\x7f", "\b") and text:
                    text = text[:-1]
                    self._console.print("\b \b", end="")
                elif len(key) == 1 and key.isprintable():
                    text += key
                    self._console.print(key, end="", markup=False, highlight=False)

    def _read(self) -> list[str]:
        assert self._keys is not None
        while True:
            if keys := [key for key in self._keys.read(_POLL_PERIOD) if key not in _EVENTS]:
                return keys
