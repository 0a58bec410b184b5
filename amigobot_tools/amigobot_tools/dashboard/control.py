# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who controls the robot: one browser at a time holds control.

    control = Control()
    control.take(1, now)              # True: it was free
    control.take(2, now)              # False: browser 2 now asks for it
    control.hand_over(1)              # browser 2 holds it

Control never changes hands while its holder drives, unless the holder agrees.
"""

from __future__ import annotations

import math

#: s after which control passes to the browser that asks for it, if the holder neither answers nor drives.
ANSWER_TIMEOUT = 5.0


class NotInControlError(Exception):
    """A browser that does not hold control asks for something that needs it."""


class Control:
    """The right to control the robot. Browsers are numbers; times are in s."""

    def __init__(self) -> None:
        self.holder: int | None = None
        self.asking: int | None = None
        self._asked = -math.inf

    def take(self, browser: int, now: float) -> bool:
        """Give free control to a browser, or note that it asks for control. Return whether it holds control now."""
        if self.holder is None:
            self.holder = browser
        elif self.holder != browser and self.asking is None:
            self.asking, self._asked = browser, now
        return self.holder == browser

    def require(self, browser: int) -> None:
        """Check that a browser may control the robot; free control becomes its own.

        Raises:
            NotInControlError: Another browser holds it.
        """
        if self.holder is None:
            self.holder = browser
        self._check(browser)

    def hand_over(self, browser: int) -> None:
        """Give control to the browser that asks for it, as the holder agrees.

        Raises:
            NotInControlError: This browser is not the holder.
        """
        self._check(browser)
        if self.asking is not None:
            self._give(self.asking)

    def keep(self, browser: int) -> None:
        """Let the holder keep control: the question is refused.

        Raises:
            NotInControlError: This browser is not the holder.
        """
        self._check(browser)
        self.asking = None

    def leave(self, browser: int) -> bool:
        """Remove a browser that releases control or has disconnected. Return whether it was the holder."""
        if self.asking == browser:
            self.asking = None
        if self.holder != browser:
            return False
        self._give(self.asking)
        return True

    def grant_overdue(self, now: float, *, driving: bool) -> bool:
        """Hand control over if its holder neither drives nor answers. Return whether that happened."""
        if self.asking is None or driving or now - self._asked < ANSWER_TIMEOUT:
            return False
        self._give(self.asking)
        return True

    def _give(self, browser: int | None) -> None:
        self.holder, self.asking = browser, None

    def _check(self, browser: int) -> None:
        if self.holder != browser:
            held = "no browser holds" if self.holder is None else f"browser {self.holder} holds"
            raise NotInControlError(f"{held} control: take it over first")
