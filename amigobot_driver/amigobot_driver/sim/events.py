# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Events of a simulated robot that an observer may show or check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulatorEvent:
    """One event: time in s on the simulator's clock, kind, and text."""

    time: float
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


#: Called with each event as it happens.
Listener = Callable[[SimulatorEvent], None]


def ignore(event: SimulatorEvent) -> None:
    """Do nothing: the default listener."""
