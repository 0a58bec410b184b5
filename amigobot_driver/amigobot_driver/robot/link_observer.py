# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a link asks of the robot behind it."""

from __future__ import annotations

from typing import Protocol

from ..protocol import Packet, Sip, SyncReply


class LinkObserver(Protocol):
    """The robot behind a link: it is asked before the components are."""

    def on_byte_time(self, byte_time: float | None) -> None:
        """The port was opened or runs at another speed; `byte_time` as in `Port`."""

    def on_identity(self, identity: SyncReply, now: float) -> None:
        """The robot has been identified, and a session is about to be opened."""

    def on_early_sip(self, sip: Sip, stamp: float) -> None:
        """A SIP whose values are of the time `stamp` (s) arrived before the session was open."""

    def measured(self, packet: Packet, stamp: float, size: int) -> tuple[Packet, float]:
        """Return a packet as the components handle it, and the time (s) at which the robot took its values."""
