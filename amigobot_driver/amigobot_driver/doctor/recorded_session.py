# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What an examination has recorded: bytes and packets with their times, answers, two snapshots."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..profiles import Profile
from ..protocol import Gyro, Motor, Packet, ShortMotor, Sip, TuningValues, packets_of, parse
from ..transport import Kind, Target
from ..wording import counted
from .computer import Computer
from .history import History
from .own_session import Observation
from .tap import Chunk, received

#: Sonars of a ring.
RING = 8
#: Serial number that MobileSim reports: most of its settings are 0.
_SIMULATOR = "SIM"


class Arrival(NamedTuple):
    """A packet that arrived."""

    stamp: float  #: s, when it was complete
    data: bytes
    packet: Packet


@dataclass(kw_only=True, eq=False)
class RecordedSession(Observation, History):
    """An observation, and what is known besides. Fields of later stages have their defaults until then."""

    target: Target
    computer: Computer | None = None  #: the side of this computer; None: a session that is open already
    baud: int = 0  #: line speed; 0: none
    refused: bool = False  #: it answers the handshake and opens no session
    port_problem: str = ""  #: why the port was lost; "" if it was not
    found_at: int = 0  #: line speed at which the robot is found after it was lost; 0: not looked for
    opened_again: bool = False  #: it opens a session then
    close_ignored: bool = False  #: packets came after CLOSE
    requested: str = ""  #: the profile that the user asks for
    expected_baud: int = 0  #: the line speed that the user expects; 0: the profile's
    disturbed: bool = False  #: the line is bad: what it carries says little of the robot

    @property
    def profile(self) -> Profile:
        """The profile in use."""
        return self.now.profile

    @property
    def network(self) -> bool:
        """Whether the robot is behind a network."""
        return self.target.kind is Kind.NETWORK

    @property
    def serial(self) -> bool:
        """Whether the robot is at a serial port."""
        return self.target.kind is Kind.SERIAL

    @property
    def failed(self) -> bool:
        """Whether no session was opened: nothing was observed in one."""
        return not self.seconds and not self.now.link.running

    @cached_property
    def observed(self) -> tuple[Chunk, ...]:
        """The bytes of the observation; all if no session was opened."""
        return tuple(chunk for chunk in self.chunks if chunk.stamp >= self.began)

    @cached_property
    def data(self) -> bytes:
        """What came from the robot during the observation."""
        return received(self.observed)

    @cached_property
    def arrivals(self) -> list[Arrival]:
        """The packets of the observation."""
        came = [one for one in self.frames if not one.to_robot and one.stamp >= self.began]
        return [Arrival(one.stamp, one.data, parse(one.data, packets_of(self.profile.erratic))) for one in came]

    @cached_property
    def sips(self) -> list[Arrival]:
        """The SIPs of the observation, or the motor packets of an Erratic."""
        return [one for one in self.arrivals if isinstance(one.packet, (Sip, Motor, ShortMotor))]

    @cached_property
    def decoded(self) -> list[Sip]:
        """The content of the SIPs; nothing for an Erratic."""
        return [one.packet for one in self.sips if isinstance(one.packet, Sip)]

    @cached_property
    def gyro(self) -> list[int]:
        """Samples of the gyro, counts."""
        packets = [one.packet for one in self.arrivals]
        return [sample.rate for packet in packets if isinstance(packet, Gyro) for sample in packet.samples]

    @property
    def config(self) -> TuningValues | None:
        """The settings at first; None if they are not known, or those of a simulator of others."""
        return None if self.noiseless else self.snapshots[0].config or self.now.config

    @property
    def noiseless(self) -> bool:
        """Whether it is a simulator of others: its sonars give the same range each time."""
        return getattr(self.snapshots[0].config or self.now.config, "serial", "") == _SIMULATOR

    @cached_property
    def reported(self) -> Counter[str]:
        """The settings by name; one that the robot does not report is 0."""
        some = {**dict(self.config.values()), "info_cycle_ms": self.config.info_cycle_ms} if self.config else {}
        return Counter({name: value for name, value in some.items() if value is not None})

    @property
    def overload(self) -> str:
        """How many programs wait on this computer; "" if it has processors for them."""
        load, processors = os.getloadavg()[0], os.cpu_count() or 1
        return f"{load:.0f} programs wait for {counted(processors, 'processor')}" if load > 3 * processors else ""


class Figures:
    """Figures of one part of the connection or the robot, computed from what was recorded."""

    def __init__(self, recording: RecordedSession) -> None:
        self.raw = recording  #: what was recorded
