# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The person at a robot, who answers and stops it in a terminal."""

from __future__ import annotations

import contextlib

from .keys import Keyboard, TerminalClosedError, keyboard
from .person import Person

_EVENTS = {"focus", "focus lost"}


class TerminalPerson(Person):
    """Sits at a terminal, where any key stops the robot. Use it in a `with` block, which restores the terminal.

    Raises:
        TerminalClosedError: Standard input is not a terminal.
    """

    def __init__(self, *, asks: bool = True) -> None:
        super().__init__(asks=asks)
        self._raw = contextlib.ExitStack()
        self._keys: Keyboard | None = None  #: while a key stops the robot; a question reads lines
        self.stopped()

    def __enter__(self) -> TerminalPerson:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def read_line(self, prompt: str) -> str:
        """Ask for a line."""
        self._raw.close()
        self._keys = None
        try:
            return super().read_line(prompt)
        except EOFError:
            raise TerminalClosedError("the terminal was closed") from None

    def stopped(self) -> bool:
        """Return whether a key was pressed; without a keyboard Ctrl-C ends the program."""
        if self.asks and self._keys is None:
            self._keys = self._raw.enter_context(keyboard())
        return self._keys is not None and any(key not in _EVENTS for key in self._keys.read(0.0))
