# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What every check of the oracle is: one invariant that counts how often it had something to compare."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .records import Seen
from .world import World


class Violation(AssertionError):
    """An invariant does not hold."""


class Check(ABC):
    """One invariant. Counts how often it had something to say."""

    def __init__(self) -> None:
        self.looked = 0

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    def look(self, world: World, seen: Seen) -> None:
        """Compare; raises Violation."""

    def require(self, holds: bool, text: str) -> None:
        """Raise Violation with a text unless something holds."""
        self.looked += 1
        if not holds:
            raise Violation(f"{self.name}: {text}")
