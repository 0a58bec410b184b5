"""The packets that a robot sends by itself in each info cycle, once asked: IOpac, ENCODERpac, GYROpac.

    streams.want(ENCODERS, True, now)

Asked for at the begin of each session and again when they stop coming, for neither the command nor the packets are
acknowledged. What the firmware has not got, or the line no room for (budget.py), is not asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ...protocol import OVERHEAD, Command, Compass, Encoders, Gripper, Gyro, Instruction, Io, Joystick, Packet, Sip
from ..events import Event, Notice
from ..feature import Feature
from .budget import Budget

#: s without a packet after which a stream is asked for again; after so many times in vain an operator is told, and
#: it is asked for more rarely.
PATIENCE, RARELY = 1.0, 10.0
TRIES = 5


@dataclass(frozen=True, slots=True)
class Stream:
    """One kind of packet. `name` as the manuals call it; `size` in bytes of its usual frame, until one has come."""

    name: str
    packet: type[Packet]
    command: Command
    on: int  #: the command's argument
    size: int


IO = Stream("IOpac", Io, Command.IOREQUEST, 2, 21)
#: 2, because 1 asks for a single packet on some firmwares (erratum E-20).
ENCODERS = Stream("ENCODERpac", Encoders, Command.ENCODER, 2, 14)
#: Four samples of 25 ms.
GYRO = Stream("GYROpac", Gyro, Command.GYRO, 1, 19)
GRIPPER = Stream("GRIPPERpac", Gripper, Command.GRIPREQUEST, 2, 9)
JOYSTICK = Stream("JOYSTICKpac", Joystick, Command.JOYREQUEST, 2, 14)
COMPASS = Stream("TCM2pac", Compass, Command.TCM2, 3, 26)


@dataclass(slots=True)
class Flow:
    """How one stream goes."""

    size: int
    wanted: bool = False
    going: bool = False  #: wanted, and neither the firmware nor the line is against it
    asked: bool = False  #: in this session
    tries: int = 0  #: since the last packet
    packets: int = 0
    told: bool = False  #: that it does not come; once, however many sessions that lasts
    asked_again: int = 0
    next_time: float = math.inf

    @property
    def silent(self) -> bool:
        """It should come, and does not, although it was asked for several times."""
        return self.going and self.tries >= TRIES


class Streams(Feature):
    """Which streams are wanted. `lacks` tells why this robot has not got a command, "" when it has."""

    def __init__(self, budget: Budget, lacks: Callable[[Command], str]) -> None:
        self.flows = {stream: Flow(stream.size) for stream in (IO, ENCODERS, GYRO, GRIPPER, JOYSTICK, COMPASS)}
        self._budget = budget
        self._lacks = lacks

    def want(self, stream: Stream, on: bool, now: float) -> None:
        """Have a stream from now on and in each session to come, or no more."""
        flow = self.flows[stream]
        flow.told = flow.told and flow.wanted is on
        flow.wanted = on
        self._review(stream, now)

    def obstacle(self, stream: Stream) -> str:
        """Why a stream that is wanted cannot be had, in a sentence; "" where nothing is in its way."""
        return self._lacks(stream.command) or self._budget.plan.reasons.get(stream.name, "")

    def begin(self, now: float) -> None:
        for stream, flow in self.flows.items():
            flow.going = flow.asked = False
            self._review(stream, now)

    def end(self, why: str) -> None:
        for flow in self.flows.values():
            flow.going, flow.next_time = False, math.inf

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        for stream, flow in self.flows.items():
            if isinstance(packet, stream.packet):
                flow.packets += 1
                flow.size = max(flow.size, len(packet.encode()) + OVERHEAD)
                flow.tries, flow.told = 0, False
                if flow.going:
                    flow.next_time = now + PATIENCE
                elif flow.asked:
                    # Not wanted any more, but the robot has not heard so.
                    flow.next_time = min(flow.next_time, now + PATIENCE)
            elif isinstance(packet, Sip):
                # What the line has room for changes with its speed and with what the robot tells of itself.
                self._review(stream, now)
                if flow.going and flow.tries > TRIES:
                    flow.tries = TRIES
                    if not flow.told:
                        flow.told = True
                        yield Notice(
                            f"sent {stream.command(stream.on)} {TRIES} times, no {stream.name} came; it is requested "
                            f"every {RARELY:.0f} s from now on, see diagnostics"
                        )

    def due(self, now: float) -> Iterator[Instruction]:
        for stream, flow in self.flows.items():
            if now < flow.next_time:
                continue
            if flow.going:
                flow.asked = True
                flow.asked_again += flow.tries > 0
                flow.tries += 1
                flow.next_time = now + (PATIENCE if flow.tries <= TRIES else RARELY)
                yield stream.command(stream.on)
            else:
                flow.next_time = math.inf
                yield stream.command(0)

    def next_time(self) -> float:
        return min(flow.next_time for flow in self.flows.values())

    def counters(self) -> Mapping[str, int]:
        return {"streams_resent": sum(flow.asked_again for flow in self.flows.values())}

    def _review(self, stream: Stream, now: float) -> None:
        """Start or stop a stream where what is wanted, or what can be had, has changed."""
        flow = self.flows[stream]
        self._budget.want(stream.name, flow.size if flow.wanted and not self._lacks(stream.command) else 0)
        going = self._budget.allows(stream.name)
        if going != flow.going:
            flow.going, flow.tries = going, 0
            flow.next_time = now if going or flow.asked else math.inf
