"""The auxiliary serial ports and what may be plugged into them (docs/protocol.md 5.7, 8.8).

The firmware keeps what a device sends in a ring; GETAUX asks for a number of bytes, and is answered once so
many are there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..protocol import BAUD_RATES, Aux
from .faults import FaultInjector
from .wire import Wire, byte_time

#: bytes that the firmware keeps; older ones are overwritten
_RING = 256
#: bytes that fit into one packet (docs/protocol.md E-27)
_MOST = 195


class AuxDevice(Protocol):
    """Something on the other end of an auxiliary port; `now` in s."""

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the robot."""
        ...

    def transmit(self, now: float) -> bytes:
        """What the device sends by now."""
        ...


class LoopBack:
    """A plug that connects the port's output to its input."""

    def __init__(self) -> None:
        self._data = b""

    def receive(self, data: bytes, now: float) -> None:
        self._data += data

    def transmit(self, now: float) -> bytes:
        data, self._data = self._data, b""
        return data


@dataclass(frozen=True, slots=True)
class Reply:
    """What a scripted device answers to a request, and after how many seconds."""

    request: bytes
    answer: bytes
    delay: float = 0.0


class ScriptedDevice:
    """Answers known requests, each when its bytes have come in, whatever they are split into."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = replies
        self._heard = b""
        self._answers: deque[tuple[float, bytes]] = deque()

    def receive(self, data: bytes, now: float) -> None:
        self._heard += data
        while found := [r for r in self._replies if r.request in self._heard]:
            first = min(found, key=lambda reply: self._heard.index(reply.request))
            self._heard = self._heard[self._heard.index(first.request) + len(first.request) :]
            self._answers.append((now + first.delay, first.answer))
        self._heard = self._heard[-_RING:]

    def transmit(self, now: float) -> bytes:
        sent = b""
        while self._answers and self._answers[0][0] <= now:
            sent += self._answers.popleft()[1]
        return sent


class AuxPort:
    """One port at its line speed; `number` from 1."""

    def __init__(self, number: int, device: AuxDevice, fault_injector: FaultInjector) -> None:
        self._id = Aux.IDS[number - 1]
        self._device = device
        self._fault_injector = fault_injector
        self.restart(0)

    def restart(self, baud_code: int) -> None:
        """Nothing on the way, nothing kept, nothing asked for; this speed."""
        self._to_device, self._from_device = Wire(), Wire()
        self.set_baud(baud_code)
        self.flush()

    def set_baud(self, code: int) -> None:
        """AUXnBAUD; a code that does not exist changes nothing."""
        if 0 <= code < len(BAUD_RATES):
            self._to_device.byte_time = self._from_device.byte_time = byte_time(BAUD_RATES[code])

    def write(self, data: bytes, now: float) -> None:
        """TTY2, TTY3, TTY4: send to the device."""
        self._to_device.put(data, now)

    def request(self, count: int) -> None:
        """GETAUX: so many bytes; 0 throws away what is there and what was asked."""
        if count == 0:
            self.flush()
        elif not self._fault_injector.forgets_request():
            self._wanted = min(count, _MOST)

    def flush(self) -> None:
        """Empty the ring and forget the request."""
        self._ring = b""
        self._wanted = 0

    @property
    def busy(self) -> bool:
        """Whether a request waits for its bytes."""
        return self._wanted > 0

    def step(self, now: float) -> Aux | None:
        """Let bytes travel; the packet, once there are enough of them."""
        written, when = self._to_device.take(now)
        if written:
            self._device.receive(written, when)
        self._from_device.put(self._device.transmit(now), now)
        self._ring = (self._ring + self._from_device.take(now)[0])[-_RING:]
        if not self._wanted or len(self._ring) < self._wanted:
            return None
        packet = Aux(id=self._id, data=self._ring[: self._wanted])
        self._ring, self._wanted = self._ring[self._wanted :], 0
        return packet
