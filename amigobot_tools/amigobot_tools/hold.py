# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Hold to drive: a terminal reports that a key is pressed and repeats it while it is held, but not its release."""

from __future__ import annotations

import math

#: Direction of each key: share of the linear and of the angular speed.
DIRECTIONS = {
    key: direction
    for keys, direction in (
        ("up w i", (1.0, 0.0)),
        ("down s ,", (-1.0, 0.0)),
        ("left a j", (0.0, 1.0)),
        ("right d l", (0.0, -1.0)),
        ("u", (1.0, 0.5)),
        ("o", (1.0, -0.5)),
        ("m", (-1.0, -0.5)),
        (".", (-1.0, 0.5)),
    )
    for key in keys.split()
}
#: s until the first repetition of a held key: 0.25 s to 0.66 s on usual systems.
FIRST_REPEAT = 0.6
#: s between further repetitions, with a margin for a network: usually 0.03 s.
REPEAT = 0.25


class Hold:
    """The direction whose key is held.

    Args:
        first_repeat: Seconds that one press drives if the key is not repeated.
    """

    def __init__(self, first_repeat: float = FIRST_REPEAT) -> None:
        self._first_repeat = first_repeat
        self._key = ""
        self._until = -math.inf

    def press(self, key: str, now: float) -> None:
        """Note that a key of `DIRECTIONS` is pressed or repeated at a time (s)."""
        repeated = key == self._key and now <= self._until
        self._key = key
        self._until = now + (REPEAT if repeated else self._first_repeat)

    def release(self) -> None:
        """Count every key as released."""
        self._key, self._until = "", -math.inf

    def direction(self, now: float) -> tuple[float, float]:
        """Return the shares of linear and angular speed at a time (s); zeros when no key is held."""
        return DIRECTIONS[self._key] if now <= self._until else (0.0, 0.0)
