# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a person who answers in lines is asked."""

from __future__ import annotations

from abc import abstractmethod

from amigobot_driver.wording import wrong_type

from .client import StoppedError
from .trial import Person

_LIMITS = {"deg": 180.0, "m": 10.0}  # of a measurement


class AskedPerson(Person):
    """Asks for lines: on a terminal, or in a web page."""

    @abstractmethod
    def read_line(self, prompt: str) -> str:
        """Ask for a line."""

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step; ask whether it may begin if anything moves."""
        self.tell(f"{title}: {text}")
        return not moves or self._answer(f"What moves: {moves}.\nEnter: begin, s: skip, q: end ") != "s"

    def ask(self, verb: str, what: str, text: str, value: float = 0.0) -> bool | float | None:
        """Ask for something to be done, for a number in m or deg, or yes or no."""
        if verb == "measure":
            return self._number(text, "deg" if what == "TURNED" else "m")
        if verb == "do":
            return self._answer(f"{text}\nEnter: done, s: skip, q: end ") != "s"
        return {"y": True, "n": False}.get(self._answer(f"{text} y, n, or Enter: not seen; q: end "))

    def _number(self, text: str, unit: str) -> float | None:
        limit = _LIMITS[unit]
        while answer := self._answer(f"{text} [{unit}; empty: skip] "):
            try:
                if abs(value := float(answer.replace(",", "."))) <= limit:
                    return value
            except ValueError:
                pass
            problem = wrong_type("the answer", answer, f"a number from {-limit:g} to {limit:g} {unit}")
            self.tell(problem)
        return None

    def _answer(self, prompt: str) -> str:
        """Read a line. Raises StoppedError for q."""
        answer = self.read_line(prompt).strip().lower()
        if answer == "q":
            raise StoppedError
        return answer
