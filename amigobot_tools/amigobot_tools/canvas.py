# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A picture of dots in a terminal: Braille characters have two by four dots each."""

from __future__ import annotations

import numpy as np
from rich.text import Text

_BLANK = "\u2800"  # the Braille character without a dot
#: Bit of each dot of a character, by column and row.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


class Canvas:
    """Dots and characters on a plane, seen from above.

    Args:
        columns: Width in characters.
        rows: Height in characters.
        center: Point (m, m) in the middle of the picture; x to the right, y upwards.
        scale: Size of a dot, m.
    """

    def __init__(self, columns: int, rows: int, center: tuple[float, float], scale: float) -> None:
        self.columns, self.rows = columns, rows
        self._center = center
        self._scale = scale
        self._cells: dict[tuple[int, int], tuple[str, str]] = {}  #: by row and column: a character and its style

    def dot(self, x: float, y: float, style: str) -> None:
        """Draw a dot at a point (m); a later style replaces that of the character. Outside the picture: nothing."""
        column, row = self._place(x, y)
        if 0 <= column < 2 * self.columns and 0 <= row < 4 * self.rows:
            dots, _ = self._cells.get((row // 4, column // 2), (_BLANK, ""))
            self._cells[row // 4, column // 2] = chr(ord(dots) | _BITS[column % 2][row % 4]), style

    def line(self, start: tuple[float, float], end: tuple[float, float], style: str, step: float = 1.0) -> None:
        """Draw a line between two points (m) with a dot every `step` dots."""
        length = max(abs(end[0] - start[0]), abs(end[1] - start[1])) / self._scale
        for x, y in np.linspace(start, end, 1 + max(1, min(1000, round(length / step)))):
            self.dot(x, y, style)

    def character(self, x: float, y: float, character: str, style: str) -> None:
        """Put a character over the dots at a point (m), after the last dot."""
        column, row = self._place(x, y)
        self._cells[row // 4, column // 2] = character, style

    def text(self) -> Text:
        """Return the picture."""
        picture = Text(no_wrap=True)
        for row in range(self.rows):
            for column in range(self.columns):
                picture.append(*self._cells.get((row, column), (" ", "")))
            if row < self.rows - 1:
                picture.append("\n")
        return picture

    def _place(self, x: float, y: float) -> tuple[int, int]:
        """The column and row of the dot at a point (m)."""
        column = round((x - self._center[0]) / self._scale) + self.columns
        row = 2 * self.rows - round((y - self._center[1]) / self._scale)
        return column, row
