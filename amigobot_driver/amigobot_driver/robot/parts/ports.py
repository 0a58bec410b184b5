"""Digital outputs and the choice of an analog port (PROTOCOL 4.1, 5.2).

The SIP reports the outputs and the chosen port, so both are sent until it shows them, and again in the next session.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Command, Instruction, Packet, Sip
from ..events import Event, PortState
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s between two tries, and how many, until the SIP is believed.
RETRY = 0.3
TRIES = 5
#: AN1 to AN5 (erratum E-26).
ANALOG_PORTS = range(1, 6)
#: IO_0 to IO_5 of the AmigoBot; DIGOUT has bits for eight.
AMIGO_PINS, ALL_PINS = 0x3F, 0xFF

Lacks = Callable[[Command], str]


def port_state(sip: Sip) -> PortState:
    """What a SIP says of the ports."""
    port, _ = _port_and_gripper(sip)
    return PortState(sip.digital_in, sip.digital_out, port if port in ANALOG_PORTS else 0, sip.analog)


def gripper_byte(sip: Sip) -> int:
    """What a SIP says of a gripper."""
    return _port_and_gripper(sip)[1]


def _port_and_gripper(sip: Sip) -> tuple[int, int]:
    """AmigOS names the analog port in the low byte, later firmware in the high one, after a gripper (erratum E-30)."""
    low, high = sip.port_low or 0, sip.port_high or 0
    usual, other = (low, high) if sip.battery_x10 is None else (high, low)
    return (other, usual) if other in ANALOG_PORTS and usual not in ANALOG_PORTS else (usual, other)


class _Shown(Feature):
    """Something the SIP shows: sent until it does, or until it is clear that it will not."""

    name: str  #: of its counters

    def __init__(self, command: Command, lacks: Lacks) -> None:
        self._command = command
        self._lacks = lacks
        self._resent = 0
        self._tries = 0
        self._next_try = math.inf
        self._waiting = Waiting()

    def _ask(self, now: float) -> Future[Outcome]:
        self._waiting.finish(False, "another request came in between")
        self._tries, self._next_try = 0, now
        return self._waiting.add()

    def begin(self, now: float) -> None:
        if self._wanted():
            self._tries, self._next_try = 0, now

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._waiting.finish(False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            self._read(port_state(packet))
            # A SIP that was on its way before anything was sent confirms nothing.
            if self._tries and self._next_try < math.inf and self._is_shown():
                self._next_try = math.inf
                self._waiting.finish(True, f"{self._story()}, confirmed by the robot")
        yield from self._waiting.notices()

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try:
            return
        if self._tries == TRIES:
            self._next_try = math.inf
            sent = f"sent {self._instruction()} {TRIES} times in {TRIES * RETRY:.1f} s"
            self._waiting.give_up(f"{sent}, the robot reports {self._give_up()}")
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        yield self._instruction()

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {f"{self.name}_resent": self._resent, f"{self.name}_given_up": self._waiting.given_up}

    @abstractmethod
    def _wanted(self) -> bool:
        """Whether there is anything to ask for."""

    @abstractmethod
    def _instruction(self) -> Instruction:
        """What asks for it."""

    @abstractmethod
    def _read(self, state: PortState) -> None:
        """Take what a SIP shows."""

    @abstractmethod
    def _is_shown(self) -> bool:
        """Whether that is what is wanted."""

    @abstractmethod
    def _story(self) -> str:
        """What was reached, in words."""

    @abstractmethod
    def _give_up(self) -> str:
        """Forget what cannot be had; what the robot reports instead, in words."""


class DigitalOutputs(_Shown):
    """The digital outputs. Those that were never asked for are left alone."""

    name = "digital_outputs"

    def __init__(self, lacks: Lacks) -> None:
        super().__init__(Command.DIGOUT, lacks)
        self.pins = AMIGO_PINS  #: those that this robot has
        self.mask_first = False  #: the mask in the low byte instead of the high one (erratum E-24)
        self.reported: int | None = None
        self._mask = self._states = self._asked = 0

    def want(self, mask: int, states: int, now: float) -> Future[Outcome]:
        """Switch the pins of a mask; those outside it keep what they were told before."""
        if why := self._lacks(Command.DIGOUT):
            return finished(False, why)
        if not mask or mask & ~self.pins:
            top = self.pins.bit_length() - 1
            return finished(False, f"mask is {mask:#04x}: this robot has IO_0 to IO_{top}, bits of {self.pins:#04x}")
        self._mask |= mask
        self._states = (self._states & ~mask) | (states & mask)
        self._asked = mask
        return self._ask(now)

    def begin(self, now: float) -> None:
        self.reported = None
        self._asked = self._mask
        super().begin(now)

    def _wanted(self) -> bool:
        return bool(self._mask)

    def _instruction(self) -> Instruction:
        mask, states = self._mask, self._states & self._mask
        return Command.DIGOUT(states << 8 | mask if self.mask_first else mask << 8 | states)

    def _read(self, state: PortState) -> None:
        self.reported = state.digital_out

    def _wrong(self) -> int:
        return self._mask if self.reported is None else (self.reported ^ self._states) & self._mask

    def _is_shown(self) -> bool:
        return not self._wrong()

    def _story(self) -> str:
        return f"outputs {self.reported:#04x}"

    def _give_up(self) -> str:
        wrong = self._wrong()
        self._mask &= ~wrong
        if self.reported is None:
            return "no outputs: its packets end before them"
        names = ", ".join(f"IO_{pin}" for pin in range(8) if wrong >> pin & 1)
        told = f"outputs {self.reported:#04x}: {names} did not follow, being configured as input (FLASH io0 to io5)"
        if wrong & self._asked == self._asked:
            told += "; or this firmware wants mask and states swapped, see parameter digital_output_mask_first"
        return told


class AnalogInput(_Shown):
    """The analog port that the SIP reports."""

    name = "analog_input"

    def __init__(self, lacks: Lacks) -> None:
        super().__init__(Command.ADSEL, lacks)
        self.wanted: int | None = None  #: None: leave it as it is
        self.reported = 0

    def want(self, port: int, now: float) -> Future[Outcome]:
        """Select a port."""
        if why := self._lacks(Command.ADSEL):
            return finished(False, why)
        if port not in ANALOG_PORTS:
            return finished(False, f"port is {port}, allowed: {ANALOG_PORTS.start} to {ANALOG_PORTS.stop - 1}")
        self.wanted = port
        return self._ask(now)

    def _wanted(self) -> bool:
        return self.wanted is not None

    def _instruction(self) -> Instruction:
        return Command.ADSEL(self.wanted)

    def _read(self, state: PortState) -> None:
        self.reported = state.selected

    def _is_shown(self) -> bool:
        return self.reported == self.wanted

    def _story(self) -> str:
        return f"analog port {self.reported}"

    def _give_up(self) -> str:
        self.wanted = None
        return f"port {self.reported}" if self.reported else "no analog port"
