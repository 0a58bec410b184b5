# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Periodic transmission of packets, shared by all simulated controllers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping

from ..protocol import OVERHEAD, Checksum, Packet, checksum, encode_frame
from .line import SendPriority, SimulatedLine

#: What a cycle sends: a packet and its place among the frames that wait for the line.
Sent = tuple[Packet, SendPriority]


class Telemetry(ABC):
    """Sends the packets of each cycle when it is due, and answers in between. All times in s."""

    def __init__(
        self, line: SimulatedLine, streams: Mapping[str, Callable[[], Packet]], check: Checksum = checksum
    ) -> None:
        """Start without a cycle.

        Args:
            line: Serial line to the client.
            streams: By name, what builds a packet that the client can request.
            check: Checksum of the frames.
        """
        self._line, self._streams, self._check = line, streams, check
        self.start(math.inf)

    def start(self, now: float) -> None:
        """Begin the first cycle at `now`, with all streams off."""
        self.next_due = now  #: when the next cycle begins; inf while telemetry is stopped
        self.modes = dict.fromkeys(self._streams, 0)  #: 0 off, 1 one packet, 2 one packet in each cycle

    def stop(self) -> None:
        """Stop sending and discard the frames that wait for the line."""
        self.next_due = math.inf
        self._line.discard_queued()

    def request(self, stream: str, mode: int) -> None:
        """Execute the command of a stream.

        Args:
            stream: Its name.
            mode: 0 off, 1 one packet, 2 and more one packet in each cycle.
        """
        self.modes[stream] = min(mode, 2)

    def step(self, now: float) -> None:
        """Send the packets of a cycle if one is due at `now`."""
        if now < self.next_due - 1e-9:
            return
        self.next_due = now + self._period()
        for packet, priority in self._packets():
            self.send(packet, priority, now)

    def send(self, packet: Packet, priority: SendPriority, now: float) -> None:
        """Put a packet on the line.

        Args:
            packet: What to send.
            priority: Its place among the frames that wait for the line.
            now: Time in s.
        """
        self._line.send(encode_frame(packet.encode(), check=self._check), priority, now, self.next_due)

    @abstractmethod
    def config(self) -> Packet:
        """Return the configuration packet: the tuning values."""

    @abstractmethod
    def _period(self) -> float:
        """Return the seconds from this cycle to the next."""

    @abstractmethod
    def _packets(self) -> Iterator[Sent]:
        """Yield what this cycle sends, in order."""

    def _requested(self) -> Iterator[Sent]:
        """Yield the packets of the streams that are on."""
        for name, build in self._streams.items():
            if mode := self.modes[name]:
                self.modes[name] = mode if mode == 2 else 0
                yield build(), SendPriority.STREAM

    def _fits(self, now: float, packet: Packet, sip: Packet) -> bool:
        """Return whether a packet and the SIP behind it, sent at `now`, are complete before the next cycle."""
        size = sum(len(each.encode()) + OVERHEAD for each in (packet, sip))
        return self._line.completion_time(size, now) <= self.next_due
