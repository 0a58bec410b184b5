# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A client for the simulator on simulated time, as small as a client can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.protocol import (
    ACTIVMEDIA_PACKETS,
    Command,
    Config,
    FrameDecoder,
    Instruction,
    Packet,
    PacketTable,
    Sip,
    parse,
)
from amigobot_driver.sim import Segment, SessionState, Simulator, SimulatorEvent, World, WorldPose, load_world

P = TypeVar("P", bound=Packet)

#: s between two looks at the line
STEP = 0.005


def world(*segments: tuple[float, float, float, float], start: WorldPose | None = None) -> World:
    """A world of these segments."""
    return World("test", tuple(Segment(*segment) for segment in segments), start or WorldPose(0.0, 0.0))


class Client:
    """A robot, the time, and every packet that came. `baud` 0 leaves the line out of account."""

    table: PacketTable = ACTIVMEDIA_PACKETS

    def __init__(self, robot: str | Profile = "amigo", where: World | str = "empty", **options: Any) -> None:
        #: sends a PULSE twice a second, as a client must that has nothing else to say
        self.alive = True
        self.events: list[SimulatorEvent] = []
        options.setdefault("baud", 0)
        self.sim = Simulator(
            load_profile(robot) if isinstance(robot, str) else robot,
            load_world(where) if isinstance(where, str) else where,
            on_event=self.events.append,
            **options,
        )
        self.now = 100.0
        self.packets: list[tuple[float, Packet]] = []
        self._unread = 0
        self._decoder = FrameDecoder()
        self._beat = self.now
        self.sim.advance(self.now)

    def send(self, *instructions: Instruction) -> None:
        """One command after the other, spaced as AmigOS needs it."""
        self._unread = len(self.packets)
        for instruction in instructions:
            self.write(instruction.encode())
            self._pass(0.02, alive=False)

    def write(self, data: bytes | str) -> None:
        """Bytes, or their hex."""
        self.sim.receive(bytes.fromhex(data) if isinstance(data, str) else data, self.now)

    def run(self, seconds: float, *, alive: bool = True) -> list[Packet]:
        """Let time pass; the packets that came meanwhile."""
        self._unread = len(self.packets)
        return self.received(seconds, alive=alive)

    def received(self, seconds: float, *, alive: bool = True) -> list[Packet]:
        """Let time pass; the packets that came since the last `send` began."""
        first = self._unread
        self._pass(seconds, alive=alive)
        self._unread = len(self.packets)
        return [packet for _, packet in self.packets[first:]]

    def run_until(self, condition: Callable[[], bool], limit: float, *, alive: bool = True) -> float:
        """Let time pass until the condition holds; how long it took."""
        start = self.now
        while not condition():
            assert self.now - start < limit, f"not within {limit} s"
            self._pass(STEP, alive=alive)
        return self.now - start

    def next(self, kind: type[P], limit: float = 1.0) -> P:
        """The next packet of a kind, of those that came since the last `send` began."""

        def found() -> list[P]:
            return [packet for _, packet in self.packets[self._unread :] if isinstance(packet, kind)]

        self.run_until(lambda: bool(found()), limit)
        packet = found()[0]
        self._unread = len(self.packets)
        return packet

    def _pass(self, seconds: float, *, alive: bool) -> None:
        end = self.now + seconds
        while self.now < end - STEP / 2:
            self.now += STEP
            if alive and self.alive and self.now - self._beat > 0.5:
                self._beat = self.now
                self.write(Command.PULSE().encode())
            for frame in self._decoder.feed(self.sim.transmit(self.now), self.now):
                self.packets.append((self.now, parse(frame.data, self.table)))

    def open(self, *, motors: bool = True) -> Client:
        """Synchronise, open, and switch the motors on."""
        for command in (Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN):
            self.write(command().encode())
            self.run(0.3, alive=False)
        assert self.sim.session is SessionState.OPEN
        if motors:
            self.send(Command.ENABLE(1))
        return self

    def sip(self) -> Sip:
        """The next SIP that was made after everything sent so far was executed."""
        self.run(0.02)
        return self.next(Sip)

    def config(self) -> Config:
        """Ask for CONFIGpac."""
        self.send(Command.CONFIG())
        return self.next(Config)

    def kinds(self, packets: list[Packet]) -> list[str]:
        return [type(packet).__name__ for packet in packets]

    @property
    def speed(self) -> float:
        """True forward speed, m/s."""
        truth = self.sim.truth
        return (truth.left_velocity + truth.right_velocity) / 2

    @property
    def turn_rate(self) -> float:
        """True, deg/s."""
        return math.degrees(self.sim.truth.turn_rate)

    @property
    def heading(self) -> float:
        """True, deg."""
        return math.degrees(self.sim.truth.pose.heading)

    def event_texts(self, kind: str) -> list[str]:
        """The texts of the events of a kind."""
        return [event.text for event in self.events if event.kind == kind]
