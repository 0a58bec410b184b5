"""What every dialect has to answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from ...connection_policy import SIP_TIMEOUT
from ...profiles import Profile
from ...protocol import Checksum, CommandTable, Instruction, Packet, PacketTable, SyncReply, Unlisted, checksum

T = TypeVar("T")
#: A conversation as it happens: each `yield` waits for the next packet until a deadline, None when that passes first.
Script = Generator[float, "Packet | None", T]


class Talk(Protocol):
    """What a greeting may do with the line."""

    def send(self, instruction: Instruction) -> object:
        """Put an instruction on the line."""

    def wait(self, seconds: float, accept: Callable[[Packet], bool]) -> Script[Packet | None]:
        """The first packet that `accept` takes, or None after `seconds`."""

    def report(self, note: str) -> None:
        """Report what is being done, for the operator."""


class Dialect(ABC):
    """One way of talking, towards one robot. Nothing else may put bytes on its line or read them."""

    firmware: str  #: letters of the table of commands whose robots talk so
    fallback: str  #: the profile of a robot that talks so and that no other profile knows
    packets: PacketTable
    commands: type[CommandTable]
    silence: float = SIP_TIMEOUT  #: s without a standard packet after which a running session counts as lost
    check: Checksum = staticmethod(checksum)

    def __init__(self) -> None:
        #: what an operator should know of how the robot talks; the reader removes it
        self.remarks: deque[str] = deque()

    @abstractmethod
    def streams(self, packet: Packet) -> bool:
        """Whether only a robot of this dialect sends this packet by itself, whichever table it was read with."""

    @abstractmethod
    def greet(self, talk: Talk, *, streaming: bool) -> Script[SyncReply | None]:
        """Find out who the robot is, so that OPEN opens a session; None when no robot answers.

        `streaming`: it talks already, so it may be driving.
        """

    @abstractmethod
    def knows(self, command: CommandTable, firmware: str) -> bool:
        """Whether a robot with a firmware of these letters can be asked for a command; "" is an unknown one."""

    @abstractmethod
    def servo(self, number: int, counts: int) -> Instruction:
        """Turn a servo, counted from 0. Raises ValueError for counts that the command does not take."""

    def adopt(self, profile: Profile) -> None:  # noqa: B027 - most need not know
        """The robot is of this profile."""

    def on_packet(self, packet: Packet) -> Packet:
        """A packet of this dialect, in the family's terms where it has a counterpart there."""
        return packet

    def command(self, instruction: Instruction | Unlisted) -> Instruction | Unlisted | None:
        """An instruction that goes on the line now, as this dialect has it; None where it has nothing of the kind."""
        known = isinstance(instruction, Unlisted) or isinstance(instruction.command, self.commands)
        return instruction if known else None
