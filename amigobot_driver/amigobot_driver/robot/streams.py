# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Packets that the robot sends continuously once requested: IOpac, ENCODERpac, GYROpac and those of a Pioneer.

    streams.set(ENCODERS, True, now)

A stream is requested at the start of each session and again when its packets stop, as neither the command nor the
packets are acknowledged. What the firmware does not have is not requested. A stream that is not sent completely before
the next SIP delays the SIP, or the firmware drops its packets (docs/protocol 8.3): so a stream that does not fit on the
line is not requested, and the driver warns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..protocol import Command, Compass, Encoders, Gripper, Gyro, Instruction, Io, Joystick, Packet, Sip
from ..protocol.frame import BITS_PER_BYTE, OVERHEAD
from .component import Component, Context
from .devices.sonar_sequence import ARRAY
from .request import RequestComponent, RetryPolicy

#: A stream whose packets are missing is requested at this interval; after the limit the driver warns, and requests it
#: less often.
RETRIES = RetryPolicy(interval=1.0, limit=5, afterwards=10.0)


@dataclass(frozen=True, slots=True)
class Stream:
    """One kind of streamed packet."""

    name: str  #: as in the manuals
    packet: type[Packet]
    command: Command  #: requests the stream; its argument 0 stops it
    on: int  #: argument that requests the stream
    size: int  #: bytes of its largest frame


#: With the four input bytes of AROS; AmigOS sends one.
IO = Stream("IOpac", Io, Command.IOREQUEST, 2, 24)
#: 2, because 1 requests a single packet on some firmware (docs/protocol E-20).
ENCODERS = Stream("ENCODERpac", Encoders, Command.ENCODER, 2, 14)
#: Four samples of 25 ms.
GYRO = Stream("GYROpac", Gyro, Command.GYRO, 1, 19)
GRIPPER = Stream("GRIPPERpac", Gripper, Command.GRIPREQUEST, 2, 9)
JOYSTICK = Stream("JOYSTICKpac", Joystick, Command.JOYREQUEST, 2, 14)
COMPASS = Stream("TCM2pac", Compass, Command.TCM2, 3, 26)
#: In the order in which they get room on the line.
STREAMS = (ENCODERS, GYRO, IO, GRIPPER, JOYSTICK, COMPASS)
#: Share of a cycle that is used: the clocks of both ends differ, and answers need a little room.
USABLE = 0.95
_SIP = 30  # bytes of AmigOS's SIP without sonar readings, until one has arrived
_READING = 3  # bytes of each sonar reading


@dataclass(frozen=True, slots=True)
class Plan:
    """Which streams the line carries beside the SIP. Bytes are per info cycle, whole frames."""

    accepted: tuple[str, ...]  #: names of the streams that fit
    reasons: Mapping[str, str]  #: why each other stream does not fit, as a sentence, by its name
    needed: int  #: bytes of the SIP and what was accepted
    available: float  #: bytes; inf for a line without a speed


def plan(byte_time: float, info_cycle_s: float, sip_bytes: int, requested: Mapping[str, int]) -> Plan:
    """Plan the streams in their order. A small stream may fit where one before it did not.

    Args:
        byte_time: Time in s for each byte; 0: bytes take no time.
        info_cycle_s: Time in s between two SIPs.
        sip_bytes: Size of the SIP, which is always sent.
        requested: Bytes of each stream in one info cycle, by name.

    Returns:
        The plan.
    """
    available = info_cycle_s / byte_time * USABLE if byte_time else math.inf
    needed = sip_bytes
    accepted: list[str] = []
    reasons: dict[str, str] = {}
    for name, size in requested.items():
        if needed + size <= available:
            accepted.append(name)
            needed += size
        else:
            others = ", ".join(["the SIP", *accepted])
            left = max(0, int(available - needed))
            reasons[name] = (
                f"{name} is left out: it needs {size} bytes in each {info_cycle_s * 1000:.0f} ms, of the "
                f"{available:.0f} that {BITS_PER_BYTE / byte_time:.0f} baud carries {others} leave {left}"
            )
    return Plan(tuple(accepted), reasons, needed, available)


class StreamState(RequestComponent):
    """One stream of one robot.

    Attributes:
        name: The manuals' name of the packet.
        requested: The user requests it; `set_active` starts it.
        active: It is requested, the firmware supports it and the line has room for it.
        packets: Packets that have arrived.
    """

    retries = RETRIES

    def __init__(self, context: Context, stream: Stream) -> None:
        """Make a stream that is not requested."""
        self.name, self.confirmed_by = stream.name, (stream.packet,)
        super().__init__(context)
        self.stream = stream
        self.requested = False
        self.active = False
        self.packets = 0
        self._switched_on = False  #: in this session
        self._watch = context.sends.timer(self._on_pause)

    @property
    def silent(self) -> bool:
        """Whether no packet arrives although the stream was requested several times."""
        return self.active and self.pending and self.attempts >= RETRIES.limit

    def set_active(self, active: bool, now: float) -> None:
        """Start or stop the stream."""
        if active == self.active:
            return
        self.active = active
        if active:
            self.start(now)
        else:
            self.pause()
            if self._switched_on:
                self._watch.set(now)

    def on_session_start(self, now: float) -> None:
        """Forget the requests of the session before."""
        self.active = self._switched_on = False
        self._watch.cancel()

    def counters(self) -> Mapping[str, int]:
        """Return nothing: `Streams` counts all of them together."""
        return {}

    def _update(self, packet: Packet, stamp: float, now: float) -> None:
        self.packets += 1
        if self.active or (self._switched_on and not self._watch.pending):
            # At that time the next packet is late, or the robot did not receive the command that stops the stream.
            self._watch.set(now + RETRIES.interval)

    def _on_pause(self, now: float) -> None:
        if self.active:
            self.start(now)
        else:
            self._context.queue.put(self.stream.command(0))

    def _commands(self) -> Iterable[Instruction]:
        self._switched_on = True
        return [self.stream.command(self.stream.on)]

    def _confirmation(self, packet: Packet) -> str:
        return "it comes"

    def _failure(self) -> str:
        return f"{self._sent()}; no {self.name} arrived"


class Streams(Component):
    """Requests the streams that the user wants and that robot and line can carry.

    Attributes:
        states: What is known of each stream.
        plan: Which of the requested streams the line can carry.
    """

    def __init__(self, context: Context) -> None:
        """Make a component that requests nothing."""
        # Before this component: each of them begins a session before all are reviewed.
        self.states: Mapping[Stream, StreamState] = {stream: StreamState(context, stream) for stream in STREAMS}
        super().__init__(context)
        self._bare_sip = 0  #: bytes of this robot's SIP without sonar readings; 0 before the first one
        self._reported: Mapping[str, str] = {}  #: the streams whose absence is reported
        self.plan = self._planned()
        context.on_packet(Sip, self._on_sip)

    def set(self, stream: Stream, on: bool, now: float) -> None:
        """Request or release a stream, for this session and later ones; `now` is in s."""
        state = self.states[stream]
        if on != state.requested:
            state.requested = on
            self.review(now)

    def on_session_start(self, now: float) -> None:
        """Request the streams again."""
        self._bare_sip, self._reported = 0, {}
        self.review(now)

    def counters(self) -> Mapping[str, int]:
        """Return how often streams were requested again."""
        return {"streams_resent": sum(state.resent for state in self.states.values())}

    def review(self, now: float) -> None:
        """Start and stop streams after a change of the requests, the robot or the line."""
        self.plan = self._planned()
        for stream, state in self.states.items():
            state.set_active(stream.name in self.plan.accepted, now)
        if self._bare_sip:  # before that the plan is a guess
            for name, reason in self.plan.reasons.items():
                if name not in self._reported:  # the numbers in the reason change with the other streams
                    self._context.notify(reason)
            self._reported = self.plan.reasons

    def sip_bytes(self) -> int:
        """Return the bytes of this robot's SIP with as many readings as its sonars make in a cycle."""
        arrays = max(1, math.ceil(len(self._context.profile().sonar.poses) / ARRAY))
        readings = arrays * math.ceil(self._context.info_cycle / self._context.sonar_cycle - 1e-6)
        return (self._bare_sip or _SIP) + _READING * readings

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        if not self._bare_sip:
            self._bare_sip = len(sip.encode()) + OVERHEAD - _READING * len(sip.sonar)
            self.review(now)

    def _planned(self) -> Plan:
        requested = {
            stream.name: stream.size
            for stream, state in self.states.items()
            if state.requested and not self._context.unsupported(stream.command)
        }
        return plan(self._context.queue.byte_time, self._context.info_cycle, self.sip_bytes(), requested)
