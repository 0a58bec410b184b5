# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a scenario measured, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report."""

    what: str
    wanted: str
    measured: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Share:
    """What a scenario may spend: `size` is 1.0 for the full figure, less for a quick look."""

    size: float
    seed: int

    def of(self, count: int) -> int:
        """That part of a number, at least one."""
        return max(1, round(count * self.size))


Scenario = Callable[[Share], Iterator[Figure]]
