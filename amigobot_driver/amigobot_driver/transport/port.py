"""What every port can do, and the one way it can fail."""

from __future__ import annotations

from typing import Protocol


class PortError(Exception):
    """The port cannot be opened, or has gone. The message is one line: what happened, why, what to do."""


class Port(Protocol):
    """A byte stream to a robot. Reads come from one thread, writes from any; errors are PortError only."""

    name: str  #: as a person would name it: "/dev/ttyUSB0"

    @property
    def byte_time(self) -> float | None:
        """s one byte takes on the line, 0: no time; None: a network connection, a line behind it is unknown."""
        ...

    def read(self, timeout: float) -> bytes:
        """Block until bytes arrive, at most `timeout` s; all that are there, b"" when none came."""
        ...

    def write(self, data: bytes) -> None:
        """Hand over all of data, or raise PortError."""
        ...

    def set_baud(self, baud: int) -> None:
        """Change the line speed; no effect where there is none."""
        ...

    def close(self) -> None:
        """Release the port; a blocked read returns or raises PortError. May be called twice."""
        ...
