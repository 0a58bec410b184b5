"""What happens in a simulated robot that somebody watching it would want to be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One occurrence: when (s, the simulator's clock), what kind, and in words."""

    time: float
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


#: Told of each event as it happens.
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of those who do not care."""
