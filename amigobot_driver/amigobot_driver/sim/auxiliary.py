# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports and the devices on them (docs/protocol 5.7, 8.8).

The firmware keeps what a device sends in a ring buffer. GETAUX requests a number of bytes; the answer is sent when
so many bytes have arrived.
"""

from __future__ import annotations

from ..protocol import Aux

#: size of the ring buffer in bytes; older ones are overwritten
_RING = 256
#: bytes that fit into one packet (docs/protocol E-27)
_MAX_BYTES = 195


class LoopBack:
    """A plug that connects the port's output to its input; another device on an auxiliary port is a subclass."""

    def __init__(self) -> None:
        self._data = b""

    def receive(self, data: bytes, now: float) -> None:
        """Process bytes from the robot at `now` (s): keep them."""
        self._data += data

    def transmit(self, now: float) -> bytes:
        """Return the bytes that the device sends until `now` (s): those that were kept."""
        data, self._data = self._data, b""
        return data


class SimulatedAuxPort:
    """One auxiliary port. Bytes between the port and its device take no time."""

    def __init__(self, number: int, device: LoopBack) -> None:
        """Start without bytes.

        Args:
            number: Number of the port, from 1.
            device: What is connected.
        """
        self._id = Aux.IDS[number - 1]
        self._device = device
        self.flush()

    def write(self, data: bytes, now: float) -> None:
        """Execute TTYn: send bytes to the device at `now` (s)."""
        self._device.receive(data, now)

    def request(self, count: int) -> None:
        """Execute GETAUX.

        Args:
            count: Number of requested bytes; 0 discards the ring buffer and the request.
        """
        if count == 0:
            self.flush()
        else:
            self.requested = min(count, _MAX_BYTES)

    def flush(self) -> None:
        """Discard the ring buffer and the request."""
        self._ring = b""
        self.requested = 0  #: number of bytes for which a request waits

    def step(self, now: float) -> Aux | None:
        """Take what the device has sent until `now` (s); return the answer to a request if all its bytes are there."""
        self._ring = (self._ring + self._device.transmit(now))[-_RING:]
        if not self.requested or len(self._ring) < self.requested:
            return None
        packet = Aux(id=self._id, data=self._ring[: self.requested])
        self._ring, self.requested = self._ring[self.requested :], 0
        return packet
