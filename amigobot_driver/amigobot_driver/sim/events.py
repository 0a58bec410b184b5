# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What an observer sees of a simulated robot: events, and the state of its session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto


class SessionState(Enum):
    """State of the session between client and robot (docs/protocol 3.1)."""

    WAIT = auto()  #: no client is synchronized
    SYNCED = auto()  #: SYNC0 to SYNC2 were exchanged (ActivMedia only)
    OPEN = auto()  #: OPEN was executed


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
