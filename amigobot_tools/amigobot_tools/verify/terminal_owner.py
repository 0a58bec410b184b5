# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The owner at a terminal: reads what a step asks, answers with keys, and stops the robot with any of them."""

from __future__ import annotations

from rich.console import Console
from rich.panel import Panel

from amigobot_driver.wording import wrong_type

from ..keys import Keyboard
from .client import Stopped
from .owner import Action, Look, Measure, Request

_EVENTS = {"focus", "focus lost"}
_POLL_PERIOD = 0.2  #: s between two checks of the keyboard during a question


class TerminalOwner:
    """Asks on a terminal.

    Args:
        keys: The keyboard of the terminal.
        console: Where to print.
    """

    def __init__(self, keys: Keyboard, console: Console) -> None:
        self._keys, self._console = keys, console

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step; ask whether it may begin if anything moves."""
        if not moves:
            self._console.print(f"[bold]{title}[/]: {text}")
            return True
        body = f"{text}\n\n[bold red]What moves: {moves}.[/] Any key stops it."
        self._console.print(Panel(body, title=title, title_align="left"))
        return self._choose("Enter: begin, s: skip, q: stop here", {"enter": True, "s": False}) is True

    def do(self, request: Request) -> bool:
        """Ask for something to be done."""
        self._console.print(f"[bold yellow]{request.text}[/]")
        return self._choose("Enter: done, s: skip, q: stop here", {"enter": True, "s": False}) is True

    def measure(self, what: Measure, text: str) -> float | None:
        """Ask for a number in m or deg."""
        unit = "deg" if what is Measure.TURNED else "m"
        while True:
            answer = self._line(f"{text} [{unit}; empty: skip] ")
            if not answer:
                return None
            try:
                value = float(answer.replace(",", "."))
            except ValueError:
                value = float("nan")
            limit = 180.0 if unit == "deg" else 10.0
            if abs(value) <= limit:
                return value
            problem = wrong_type("the answer", answer, f"a number from {-limit:g} to {limit:g} {unit}")
            self._console.print(problem, markup=False)

    def look(self, what: Look, text: str) -> bool | None:
        """Ask yes or no."""
        return self._choose(f"{text} y, n, s: not seen", {"y": True, "n": False, "s": None})

    def tell(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def stopped(self) -> bool:
        """Return whether a key was pressed."""
        return any(key not in _EVENTS for key in self._keys.read(0.0))

    def after_stop(self) -> str:
        """Ask what to do after a stop."""
        self._console.print("[bold red]Stopped; the motors are off.[/]")
        choices = {"r": "repeat", "s": "skip", "q": "end", "quit": "end"}
        while True:
            self._console.print("r: repeat this step, s: skip it, q: end")
            for key in self._read():
                if key in choices:
                    return choices[key]

    def _choose(self, question: str, choices: dict[str, bool | None]) -> bool | None:
        self._console.print(f"  [dim]{question}[/]")
        while True:
            for key in self._read():
                if key in choices:
                    return choices[key]
                if key in ("q", "quit"):
                    raise Stopped

    def _line(self, prompt: str) -> str:
        """Read a line: the terminal sends every key at once."""
        self._console.print(prompt, end="", markup=False, highlight=False)
        text = ""
        while True:
            for key in self._read():
                if key == "enter":
                    self._console.print()
                    return text
                if key in ("quit", "escape"):
                    raise Stopped
                if key in ("\x7f", "\b"):
                    text = text[:-1]
                    self._console.print("\b \b", end="")
                elif len(key) == 1 and key.isprintable():
                    text += key
                    self._console.print(key, end="", markup=False, highlight=False)

    def _read(self) -> list[str]:
        while True:
            if keys := [key for key in self._keys.read(_POLL_PERIOD) if key not in _EVENTS]:
                return keys


class UnattendedOwner:
    """No person is at the robot (`--yes`): its wheels are off the floor, and what needs hands or eyes is skipped.

    Args:
        console: Where to print.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Name the step and agree."""
        self._console.print(f"[bold]{title}[/]: {text}")
        return True

    def do(self, request: Request) -> bool:
        """Only the wheels are off the floor; nothing else can be done."""
        return request.action is Action.LIFT

    def measure(self, what: Measure, text: str) -> float | None:
        """Measure nothing."""
        return None

    def look(self, what: Look, text: str) -> bool | None:
        """See nothing."""
        return None

    def tell(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def stopped(self) -> bool:
        """Press no key; Ctrl-C ends the program."""
        return False

    def after_stop(self) -> str:
        """End."""
        return "end"
