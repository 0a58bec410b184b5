# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording in place of a robot: it answers the handshake, then sends what the robot has sent, at the same times."""

from __future__ import annotations

import math

from ..packet_file import Head, RecordedFrame
from ..protocol import Command, Config, SyncReply, encode_frame, packets_of, parse
from ..protocol.frame import MAX_DATA
from ..replay import ReplayedRobot


class RecordedRobot(ReplayedRobot):
    """Serves a recording to one client after another; see `sim.server.ServedRobot`.

    Args:
        head: Head of the recording.
        records: Its packets and commands, in the order of their times.
        rate: Speed of the replay; 1 is that of the recording.
        loop: Begin again at the end.
    """

    bytes_in_transit = 0

    def __init__(self, head: Head, records: list[RecordedFrame], rate: float = 1.0, *, loop: bool = False) -> None:
        super().__init__()
        self._rate = rate
        self._loop = loop
        identity = SyncReply(name=head.name, robot_class=head.robot_class, subclass=head.subclass)
        self.learn(identity, identity.encode())
        #: packets of the robot with their times since the first one (s), without those of the handshake
        self._packets: list[tuple[float, bytes]] = []
        for record in records:
            if record.to_robot or record.data[0] <= Command.CLOSE.number:
                continue
            packet = parse(record.data, packets_of(head.erratic))
            self.learn(packet, record.data)
            # The robot answers CONFIG when it is asked.
            if not isinstance(packet, Config):
                self._packets.append((record.time, record.data))
        first = self._packets[0][0] if self._packets else 0.0
        self._packets = [(time - first, data) for time, data in self._packets]
        self._next = 0
        self._began = math.nan  #: s, when the session began
        self.reset(silent=not head.erratic)

    @property
    def ended(self) -> bool:
        """Whether everything has been sent."""
        return self._next >= len(self._packets)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the client; with a new session the recording begins."""
        before = self.opened
        super().receive(data, now)
        if self.opened and not before:
            self._began, self._next = now, 0

    def transmit(self, now: float) -> bytes:
        """Return the bytes that are due."""
        sent = super().transmit(now)
        while self.opened and not self.ended and self._due <= now:
            sent += encode_frame(self._packets[self._next][1], MAX_DATA)
            self._next += 1
            if self.ended and self._loop:
                self._began, self._next = now, 0
                break
        return sent

    def next_event(self, now: float) -> float:
        """Return when the next bytes are due."""
        return min(super().next_event(now), self._due if self.opened and not self.ended else math.inf)

    def open_port(self) -> None:
        """Do nothing: the recording goes on."""

    def close_port(self) -> None:
        """Do nothing: the recording goes on."""

    def disconnect(self) -> None:
        """End the session."""
        self.reset(silent=self._silent)

    @property
    def _due(self) -> float:
        return self._began + self._packets[self._next][0] / self._rate
