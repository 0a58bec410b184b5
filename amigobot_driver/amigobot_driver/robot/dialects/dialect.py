# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The interface of a dialect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from ...connection_policy import SIP_TIMEOUT
from ...profiles import Profile
from ...protocol import (
    Checksum,
    Command,
    CommandsByNumber,
    CommandTable,
    Instruction,
    Packet,
    PacketTable,
    SyncReply,
    checksum,
)

T = TypeVar("T")
#: A handshake in progress: each `yield` waits for the next packet until a deadline; None when that passes first.
Script = Generator[float, "Packet | None", T]


class HandshakeLine(Protocol):
    """What a handshake may do with the line."""

    def send(self, instruction: Instruction) -> object:
        """Put an instruction on the line."""

    def wait(self, seconds: float, accept: Callable[[Packet], bool]) -> Script[Packet | None]:
        """Wait for the first packet that `accept` returns True for; None after `seconds`."""

    def pause(self, seconds: float) -> Script[None]:
        """Ignore all packets for so many seconds."""

    def report(self, note: str) -> None:
        """Report the current step to the operator."""


class Dialect(ABC):
    """The protocol of one kind of firmware, for one connection. All frames to and from the robot pass it."""

    firmware: str  #: letters of the firmware in the table of commands that use this dialect
    fallback: str  #: name of the profile for a robot with this dialect that no other profile matches
    packets: PacketTable  #: packet classes by id
    commands: CommandsByNumber  #: commands that the robot may have
    streams_before_open = False  #: the robot sends SIPs without a session
    sip_timeout: float = SIP_TIMEOUT  #: s without a SIP after which a running session counts as lost
    check: Checksum = staticmethod(checksum)

    def __init__(self) -> None:
        #: remarks about the robot's protocol for the operator; the reader removes them
        self.remarks: deque[str] = deque()

    @abstractmethod
    def streams(self, packet: Packet) -> bool:
        """Return whether only robots with this dialect send this packet without a request."""

    @abstractmethod
    def handshake(self, line: HandshakeLine, *, streaming: bool) -> Script[SyncReply | None]:
        """Identify the robot, so that OPEN opens a session.

        Args:
            line: The line to the robot.
            streaming: The robot sends packets already, so it may be driving.

        Returns:
            The identity; None when no robot answers.
        """

    @abstractmethod
    def supports(self, command: CommandTable, firmware: str) -> bool:
        """Return whether firmware with one of these letters has a command; "" is unknown firmware."""

    @abstractmethod
    def servo(self, number: int, counts: int) -> Instruction:
        """Return the command that turns a servo.

        Args:
            number: Number of the servo, from 0.
            counts: Position.

        Raises:
            ValueError: The command cannot carry these counts.
        """

    def set_profile(self, profile: Profile) -> None:  # noqa: B027 - optional
        """Use the profile of the robot."""

    def on_packet(self, packet: Packet) -> Packet:
        """Translate a packet into that of the ActivMedia robots, if there is an equivalent."""
        return packet

    def command(self, instruction: Instruction) -> Instruction | None:
        """Translate an instruction that goes on the line now.

        Returns:
            The instruction in this dialect; None if the dialect has no such command.
        """
        return instruction if isinstance(instruction.command, int | Command) else None
