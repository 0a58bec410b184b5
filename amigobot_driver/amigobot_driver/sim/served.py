# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a server of robots needs from one: a simulated robot has it, and so has a recorded one."""

from __future__ import annotations

from typing import Protocol


class ServedRobot(Protocol):
    """One robot. Times are s on one clock; no method blocks."""

    @property
    def unplugged(self) -> bool:
        """Whether the cable to the client is pulled."""
        ...

    @property
    def bytes_in_transit(self) -> int:
        """Bytes of the client that the robot has not read yet."""
        ...

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the client."""
        ...

    def transmit(self, now: float) -> bytes:
        """Return the bytes for the client that are due."""
        ...

    def next_event(self, now: float) -> float:
        """Return when to call `transmit` again."""
        ...

    def set_client_baud(self, baud: int) -> None:
        """The client uses this line speed."""
        ...

    def open_port(self) -> None:
        """The client has opened its serial port."""
        ...

    def close_port(self) -> None:
        """The client has closed its serial port."""
        ...

    def disconnect(self) -> None:
        """The client has closed its TCP connection."""
        ...
