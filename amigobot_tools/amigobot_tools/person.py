# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who is at the robot: confirms a motion, is asked to do, measure and look, and answers in lines."""

from __future__ import annotations

import math
import sys

from amigobot_driver.cli import UsageError
from amigobot_driver.wording import wrong_type

_LIMITS = {"deg": 180.0, "m": 10.0, "cm": 1000.0}  # largest measurement, by its unit


class StoppedError(Exception):
    """The person has ended a run; the message says how."""


def check_terminal() -> None:
    """Raise UsageError if no person can confirm a motion."""
    if not sys.stdin.isatty():
        raise UsageError("a person must confirm before a real robot moves: start it in a terminal")


def confirm(what: str) -> None:
    """Ask a person before a real robot moves.

    Args:
        what: The robot does.

    Raises:
        UsageError: There is no person, or the answer is no.
    """
    check_terminal()
    if not agrees(f"{what} Move?"):
        raise UsageError("nothing has moved")


def agrees(question: str) -> bool:
    """Ask a question, beside a result on standard output; only y and yes agree."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class Person:
    """Answers in lines.

    Args:
        asks: False (`--yes`): nothing is asked, the wheels are off the floor, and what needs hands or eyes is skipped.
    """

    stops = "Any key"  #: what ends a motion

    def __init__(self, *, asks: bool = True) -> None:
        self.asks = asks

    def read_line(self, prompt: str) -> str:
        """Ask for a line."""
        return input(prompt)

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step, and what moves in it ("" for nothing). Returns whether it shall be done."""
        print(f"{title}: {text}", flush=True)
        if not moves or not self.asks:
            return True
        return self._answer(f"What moves: {moves}. {self.stops} stops it.\nEnter: begin, s: skip, q: end ") != "s"

    def do(self, what: str, text: str, distance: float = 0.0) -> bool:
        """Ask the person to do something by hand; returns whether it was done.

        Args:
            what: LIFT, FLOOR, WALL, TOUCH, AWAY, WIRE or MARK.
            text: The same for a person.
            distance: To the wall, m.
        """
        if not self.asks:
            return what == "LIFT"
        return self._answer(f"{text}\nEnter: done, s: skip, q: end ") != "s"

    def measure(self, what: str, text: str) -> float:
        """Ask for FORWARD or LEFT (m), or TURNED (deg); NaN: it was not measured."""
        return self.number(text, "deg" if what == "TURNED" else "m") if self.asks else math.nan

    def look(self, what: str, text: str) -> bool | None:
        """Ask whether something is seen: WHEELS_FORWARD or LEFT_WHEEL_ONLY; None: unknown."""
        if not self.asks:
            return None
        return {"y": True, "n": False}.get(self._answer(f"{text} y, n, or Enter: not seen; q: end "))

    def number(self, text: str, unit: str) -> float:
        """Ask for a number of deg, m or cm; NaN: it was not measured."""
        limit = _LIMITS[unit]
        while answer := self._answer(f"{text} [{unit}; empty: skip] "):
            try:
                if abs(value := float(answer.replace(",", "."))) <= limit:
                    return value
            except ValueError:
                pass
            print(wrong_type("the answer", answer, f"a number from {-limit:g} to {limit:g} {unit}"), flush=True)
        return math.nan

    def _answer(self, prompt: str) -> str:
        """Read a line. Raises StoppedError for q."""
        answer = self.read_line(prompt).strip().lower()
        if answer == "q":
            raise StoppedError("ended")
        return answer
