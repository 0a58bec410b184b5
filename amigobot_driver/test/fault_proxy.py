# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A proxy between a client and a simulated robot that changes bytes, packets or times: in simulated time, or on a pty.

    Fault(robot="amigo", down=changing(lambda data: bytes(byte & 0x7F for byte in data)))

A `Wire` gets the bytes of one direction and returns what comes out of it, each piece with its delay.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from amigobot_driver.errors import PortError
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import FrameDecoder, encode_frame
from amigobot_driver.sim import Simulator, load_world

#: Bytes and time (s) in; pieces with their delay (s) out.
Wire = Callable[[bytes, float], list[tuple[float, bytes]]]
#: Edits the data of a packet: returns the data of the packets that go on instead.
Edit = Callable[[bytearray, float], list[bytes]]


def clean(data: bytes, now: float) -> list[tuple[float, bytes]]:
    """Change nothing."""
    return [(0.0, data)] if data else []


@dataclass
class Fault:
    """What happens on the way to the robot and back; both are made anew for each run, as they may have a state."""

    up: Callable[[], Wire] = field(default=lambda: clean)
    down: Callable[[], Wire] = field(default=lambda: clean)
    robot: str = "amigo"
    options: dict[str, Any] = field(default_factory=dict)  #: of the simulator
    act: Callable[[Simulator, float], None] = lambda simulator, now: None  #: called all the time
    #: whether the peer closes the connection at these bytes, b"" when it is opened
    hangs_up: Callable[[bytes], bool] = lambda sent: False
    network: bool = False  #: the port has no line speed

    def simulator(self) -> Simulator:
        """Make the robot."""
        options = dict(self.options)
        profile, world = options.pop("profile", load_profile(self.robot)), options.pop("world", "room")
        return Simulator(profile, load_world(world), **options)


def changing(change: Callable[[bytes], bytes]) -> Callable[[], Wire]:
    """A wire that changes the bytes of each piece."""
    return lambda: lambda data, now: [(0.0, change(data))] if data else []


def late(delay: Callable[[float], float]) -> Callable[[], Wire]:
    """A wire that delays bytes; their order stays."""
    return lambda: lambda data, now: [(delay(now), data)] if data else []


def losing(share: float, seed: int = 1) -> Callable[[], Wire]:
    """A wire that loses bytes."""

    return seeded(lambda chance: changing(lambda data: bytes(byte for byte in data if chance.random() >= share)), seed)


def dead() -> Wire:
    """A wire that loses all."""
    return lambda data, now: []


def until(time: float, after: Callable[[], Wire] = dead) -> Callable[[], Wire]:
    """A wire that is another one some seconds after its first byte."""

    def make() -> Wire:
        ways, began = (clean, after()), [0.0]

        def wire(data: bytes, now: float) -> list[tuple[float, bytes]]:
            began[0] = began[0] or (now if data else 0.0)
            return ways[bool(began[0] and now - began[0] > time)](data, now)

        return wire

    return make


def edited(edit: Edit) -> Callable[[], Wire]:
    """A wire that edits whole packets; their checksums are right again."""

    def make() -> Wire:
        decoder = FrameDecoder()

        def wire(data: bytes, now: float) -> list[tuple[float, bytes]]:
            frames = decoder.feed(data, 0.0)
            packets = [packet for frame in frames for packet in edit(bytearray(frame.data), now)]
            return [(0.0, b"".join(encode_frame(packet, 253) for packet in packets))] if packets else []

        return wire

    return make


def sip(change: Callable[[bytearray, float], object]) -> Callable[[], Wire]:
    """A wire that changes SIPs in place."""

    def edit(data: bytearray, now: float) -> list[bytes]:
        change(data, now)
        return [bytes(data)]

    return sips(edit)


def sips(edit: Edit) -> Callable[[], Wire]:
    """A wire that edits SIPs; all other packets pass."""
    return edited(lambda data, now: edit(data, now) if data[0] & 0xF0 == 0x30 else [bytes(data)])


def seeded(make: Callable[[random.Random], Callable[[], Wire]], seed: int = 1) -> Callable[[], Wire]:
    """A wire of chance, the same in each run."""
    return lambda: make(random.Random(seed))()


class Stranger:
    """What is no robot: `answer(data)` is called with the bytes that came, and with b"" ten times a second."""

    byte_time = 10 / 9600

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer, self._said, self._next = answer, b"", 0.0

    def start(self, now: float) -> None:
        self._next = now

    def receive(self, data: bytes, now: float) -> None:
        self._said += self._answer(data) if data else b""

    def transmit(self, now: float) -> bytes:
        if now >= self._next:
            self._next = now + 0.1
            self._said += self._answer(b"")
        said, self._said = self._said, b""
        return said

    def set_client_baud(self, baud: int) -> None:
        """It has one speed."""

    def disconnect(self) -> None:
        """It has no session."""


class VirtualPort:
    """A port to a simulated robot behind a fault, on simulated time."""

    def __init__(self, fault: Fault, simulator: Simulator | Stranger | None = None, now: float = 1000.0) -> None:
        self.now = now
        self.fault = fault
        self.simulator = simulator or fault.simulator()
        self.simulator.start(self.now)
        self.name = "virtual"
        self._up, self._down = fault.up(), fault.down()
        self._pieces: tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]] = ([], [])
        self._closed = False

    def open(self, url: str, baud: int) -> VirtualPort:
        """Open it again, which takes a moment: a program that goes on trying reaches its limit of time."""
        self.now += 0.1
        if self._closed:
            self.simulator.disconnect()
        self._closed = self.fault.hangs_up(b"")
        if not self.fault.network:
            self.set_baud(baud)
        return self

    @property
    def byte_time(self) -> float | None:
        return None if self.fault.network else self.simulator.byte_time or 0.001

    def clock(self) -> float:
        return self.now

    def set_baud(self, baud: int) -> None:
        self.simulator.set_client_baud(baud)

    def close(self) -> None:
        self._closed = True

    def _put(self, queue: list[tuple[float, bytes]], pieces: list[tuple[float, bytes]]) -> None:
        for delay, data in pieces:
            last = queue[-1][0] if queue else 0.0
            queue.append((max(last, self.now + delay), data))

    def _due(self, queue: list[tuple[float, bytes]]) -> bytes:
        data = b""
        while queue and queue[0][0] <= self.now:
            data += queue.pop(0)[1]
        return data

    def write(self, data: bytes) -> None:
        if self._closed:
            raise PortError("virtual: the peer has closed the connection")
        self._put(self._pieces[0], self._up(data, self.now))
        self._closed = self.fault.hangs_up(data)
        self._exchange()

    def _exchange(self) -> None:
        self.fault.act(self.simulator, self.now)
        self.simulator.receive(self._due(self._pieces[0]), self.now)
        self._put(self._pieces[1], self._down(self.simulator.transmit(self.now), self.now))

    def read(self, timeout: float) -> bytes:
        end = self.now + timeout
        while True:
            self._exchange()
            if data := self._due(self._pieces[1]):
                return data
            if self._closed:
                raise PortError("virtual: the peer has closed the connection")
            if self.now >= end:
                return b""
            self.now = min(end, self.now + 0.005)
