# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports and the devices on them (docs/protocol 5.7, 8.8).

The firmware keeps what a device sends in a ring buffer. GETAUX requests a number of bytes; the answer is sent when
so many bytes have arrived.
"""

from __future__ import annotations

from typing import Protocol

from ..protocol import BAUD_RATES, Aux
from .line import Wire, byte_time

#: size of the ring buffer in bytes; older ones are overwritten
_RING = 256
#: bytes that fit into one packet (docs/protocol E-27)
_MAX_BYTES = 195


class AuxDevice(Protocol):
    """A device on an auxiliary port; times in s."""

    def receive(self, data: bytes, now: float) -> None:
        """Process bytes from the robot."""
        ...

    def transmit(self, now: float) -> bytes:
        """Return the bytes that the device sends until `now`."""
        ...


class LoopBack:
    """A plug that connects the port's output to its input."""

    def __init__(self) -> None:
        self._data = b""

    def receive(self, data: bytes, now: float) -> None:
        """Keep the bytes from the robot."""
        self._data += data

    def transmit(self, now: float) -> bytes:
        """Return the kept bytes."""
        data, self._data = self._data, b""
        return data


class SimulatedAuxPort:
    """One auxiliary port with its line speed."""

    def __init__(self, number: int, device: AuxDevice) -> None:
        """Start at the lowest speed.

        Args:
            number: Number of the port, from 1.
            device: What is connected.
        """
        self._id = Aux.IDS[number - 1]
        self._device = device
        self.restart(0)

    def restart(self, baud_code: int) -> None:
        """Discard all bytes and requests.

        Args:
            baud_code: Code of the line speed.
        """
        self._to_device, self._from_device = Wire(), Wire()
        self.set_baud(baud_code)
        self.flush()

    def set_baud(self, code: int) -> None:
        """Execute AUXnBAUD; a code that does not exist is ignored."""
        if 0 <= code < len(BAUD_RATES):
            self._to_device.byte_time = self._from_device.byte_time = byte_time(BAUD_RATES[code])

    def write(self, data: bytes, now: float) -> None:
        """Execute TTYn: send to the device.

        Args:
            data: Bytes for the device.
            now: Time in s.
        """
        self._to_device.put(data, now)

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
        """Transfer bytes in both directions.

        Args:
            now: Time in s.

        Returns:
            The answer to the request if all its bytes have arrived, else None.
        """
        written, when = self._to_device.take(now)
        if written:
            self._device.receive(written, when)
        if sent := self._device.transmit(now):
            self._from_device.put(sent, now)
        if arrived := self._from_device.take(now)[0]:
            self._ring = (self._ring + arrived)[-_RING:]
        if not self.requested or len(self._ring) < self.requested:
            return None
        packet = Aux(id=self._id, data=self._ring[: self.requested])
        self._ring, self.requested = self._ring[self.requested :], 0
        return packet
