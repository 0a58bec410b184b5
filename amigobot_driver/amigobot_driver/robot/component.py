# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The base class of every subsystem and device, and the parts of the robot that they may use.

A component registers in its constructor for what it handles:

    context.on_packet(Sip, self._on_sip)
    context.on_sent(Command.CONFIG, self._on_config_sent)
    self._retry = context.sends.timer(self._send_again)

and is called for nothing else. Within one packet type, handlers are called in the order of their registration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import RequestRefusedError
from ..profiles import Profile
from ..protocol import CommandTable, Instruction, Packet, TuningValues
from .command_queue import CommandQueue
from .events import Event, Notice
from .remedies import GENERAL_REMEDIES, Remedies
from .scheduler import Scheduler

#: Called with the packet, the time at which the robot took its values, and the current time, both in s.
PacketHandler = Callable[[Any, float, float], object]
#: Called with a command that goes on the line now, and the time in s.
SentHandler = Callable[[Instruction, float], object]


class Dispatcher:
    """Calls the handlers of a packet's type and the observers of a command, and no others."""

    def __init__(self) -> None:
        self._registered: list[tuple[type[Packet], PacketHandler]] = []
        self._by_type: dict[type[Packet], tuple[PacketHandler, ...]] = {}
        self._observers: dict[CommandTable | int, list[SentHandler]] = {}

    def on_packet(self, kind: type[Packet], handler: PacketHandler) -> None:
        """Call `handler` for packets of a type and its subclasses."""
        self._registered.append((kind, handler))
        self._by_type.clear()

    def on_sent(self, command: CommandTable, handler: SentHandler) -> None:
        """Call `handler` when a command goes on the line, whichever component has sent it."""
        self._observers.setdefault(command, []).append(handler)

    def packet(self, packet: Packet, stamp: float, now: float) -> None:
        """Pass a packet to the handlers of its type."""
        kind = type(packet)
        handlers = self._by_type.get(kind)
        if handlers is None:
            handlers = tuple(handler for registered, handler in self._registered if issubclass(kind, registered))
            self._by_type[kind] = handlers
        for handler in handlers:
            handler(packet, stamp, now)

    def sent(self, instruction: Instruction, now: float) -> None:
        """Call the observers of a command that goes on the line."""
        for handler in self._observers.get(instruction.command, ()):
            handler(instruction, now)


@dataclass(eq=False)
class Context:
    """What a component may use of the robot that it belongs to."""

    queue: CommandQueue  #: the commands that wait for the line
    sends: Scheduler  #: deadlines at which routine commands are put into the queue; they wait while it has no room
    timeouts: Scheduler  #: deadlines that wait for nothing
    dispatcher: Dispatcher  #: passes packets and sent commands to the components
    emit: Callable[[Event], object]  #: publishes an event to the users of the robot
    profile: Callable[[], Profile]  #: returns the profile of the robot, as far as it is known
    config: Callable[[], TuningValues | None]  #: returns the newest CONFIGpac of this session; None before the first
    unsupported: Callable[[CommandTable | int], str]  #: returns why a command cannot be sent to the robot; "" if it can
    no_robot: Callable[[], str]  #: returns why no robot is connected; "" if one is
    remedies: Remedies = GENERAL_REMEDIES  #: of the interface that the robot's user has
    components: list[Component] = field(default_factory=list)  #: all of the robot, in the order of their creation

    def __post_init__(self) -> None:
        self.on_packet = self.dispatcher.on_packet
        self.on_sent = self.dispatcher.on_sent

    def notify(self, text: str, *, trouble: bool = True) -> None:
        """Publish a message for the operator, see `Notice`."""
        self.emit(Notice(text, trouble))

    def require(self, command: CommandTable | int) -> None:
        """Raise RequestRefusedError, with the reason, if a command cannot be sent to the robot."""
        if reason := self.unsupported(command):
            raise RequestRefusedError(reason)

    @property
    def info_cycle(self) -> float:
        """Time between two SIPs, in s: as the robot reports it, else as in its profile."""
        config = self.config()
        return (config.info_cycle_ms / 1000 if config else 0.0) or self.profile().link.info_cycle

    @property
    def sonar_cycle(self) -> float:
        """Time from one ping of an array to the next, in s: as the robot reports it, else as in its profile."""
        config = self.config()
        return ((config.value("sonar_cycle") or 0) / 1000 if config else 0.0) or self.profile().sonar.cycle


class Component:
    """One subsystem or device. A subclass overrides what concerns it; times are in s of the robot's clock."""

    def __init__(self, context: Context) -> None:
        self._context = context
        context.components.append(self)

    def on_profile(self) -> None:
        """The robot has been identified, and `Context.profile` returns its profile."""

    def on_session_start(self, now: float) -> None:
        """A session was opened: the robot may have forgotten every setting."""

    def on_session_end(self, reason: str) -> None:
        """The session has ended: fail the pending requests. What was requested stays, for the next session."""

    def on_silence_of_driver(self, now: float) -> None:
        """The driver has sent nothing for so long that the robot's watchdog may have stopped it."""

    def counters(self) -> Mapping[str, int]:
        """Return how often commands were sent again or given up, by name: "motors_resent"."""
        return {}
