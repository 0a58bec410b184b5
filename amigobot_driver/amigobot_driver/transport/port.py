# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The interface of every port."""

from __future__ import annotations

from typing import Protocol


class Port(Protocol):
    """A byte stream to a robot. One thread reads, any thread may write. Methods raise only PortError."""

    name: str  #: for messages, such as "/dev/ttyUSB0"

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes on the line; 0: no time; None: unknown, behind a network connection."""

    def read(self, timeout: float) -> bytes:
        """Wait up to `timeout` s for bytes. Returns the bytes that are available, b"" after a timeout."""

    def write(self, data: bytes) -> None:
        """Write all of data, or raise PortError."""

    def set_baud(self, baud: int) -> None:
        """Change the line speed; no effect on a port without one."""

    def close(self) -> None:
        """Release the port; a blocked read returns or raises PortError. May be called twice."""
