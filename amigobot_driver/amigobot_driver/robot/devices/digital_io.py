# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital outputs and the choice of an analog port (docs/protocol 4.1, E-24).

The SIP reports the outputs and the chosen port. Both are sent until the SIP shows them, and again in the next session.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ...protocol import Command, Instruction, Sip
from ..component import Context
from ..events import PortState
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy

RETRIES = RetryPolicy(interval=0.3, limit=5)
_REPLACED = "another request replaced this one"
#: AN1 to AN5 (docs/protocol E-26).
ANALOG_PORTS = range(1, 6)
#: Volts per count of the analog byte in a SIP (docs/protocol 5.2).
SIP_VOLTS = 5.0 / 255
#: IO_0 to IO_5 of the AmigoBot; DIGOUT has bits for eight.
AMIGO_PINS, ALL_PINS = 0x3F, 0xFF


def port_state(sip: Sip) -> PortState:
    """Return the ports as a SIP reports them."""
    port, _ = _port_and_gripper(sip)
    return PortState(sip.digital_in, sip.digital_out, port if port in ANALOG_PORTS else 0, sip.analog)


def gripper_byte(sip: Sip) -> int:
    """Return the byte of a SIP with the state of the gripper."""
    return _port_and_gripper(sip)[1]


def _port_and_gripper(sip: Sip) -> tuple[int, int]:
    """AmigOS has the analog port in the low byte, later firmware in the high one (docs/protocol E-30)."""
    low, high = sip.port_low or 0, sip.port_high or 0
    usual, other = (low, high) if sip.battery_x10 is None else (high, low)
    return (other, usual) if other in ANALOG_PORTS and usual not in ANALOG_PORTS else (usual, other)


class DigitalOutputs(RequestComponent):
    """The digital outputs. Those that were never requested are left alone."""

    name = "digital_outputs"
    retries = RETRIES

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.mask_first = False  #: the mask in the low byte instead of the high one (docs/protocol E-24)
        self.reported: int | None = None
        self._mask = self._states = self._newest = 0
        context.on_packet(Sip, self._on_sip)

    def set(self, mask: int, states: int, now: float) -> Future[Outcome]:
        """Set the pins of a mask; others keep their requested state.

        Args:
            mask: bit n stands for IO_n.
            states: a bit for each pin; those outside the mask do not count.
            now: Time in s.

        Returns:
            The result, when the SIP shows the outputs or the retries are over.
        """
        if reason := self._context.unsupported(Command.DIGOUT):
            return finished(False, reason)
        pins = AMIGO_PINS if self._context.profile().firmware in ("A", "S") else ALL_PINS
        if not mask or mask & ~pins:
            top = pins.bit_length() - 1
            return finished(False, f"mask is {mask:#04x}: this robot has IO_0 to IO_{top}, bits of {pins:#04x}")
        self._mask |= mask
        self._states = (self._states & ~mask) | (states & mask)
        self._newest = mask
        return self._request.replace(_REPLACED, now)

    def on_session_start(self, now: float) -> None:
        """Set the requested outputs again."""
        self.reported = None
        self._newest = self._mask
        if self._mask:
            self._request.start(now)

    def _commands(self) -> Iterable[Instruction]:
        mask, states = self._mask, self._states & self._mask
        return [Command.DIGOUT(states << 8 | mask if self.mask_first else mask << 8 | states)]

    def _confirmation(self, sip: Sip) -> str:
        return "" if self._wrong() else f"{self._text()}, confirmed by the robot"

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        self.reported = sip.digital_out

    def _wrong(self) -> int:
        return self._mask if self.reported is None else (self.reported ^ self._states) & self._mask

    def _text(self) -> str:
        return f"outputs {self.reported:#04x}"

    def _failure(self) -> str:
        wrong, sent = self._wrong(), self._sent()
        # Outputs that do not follow are not requested again.
        self._mask &= ~wrong
        if self.reported is None:
            return f"{sent}; the robot reports no outputs: its packets end before them"
        names = ", ".join(f"IO_{pin}" for pin in range(8) if wrong >> pin & 1)
        message = f"{sent}; the robot reports {self._text()}: {names} did not follow, being configured as input "
        message += "(FLASH io0 to io5)"
        if wrong & self._newest == self._newest:
            message += "; or this firmware expects mask and states swapped (docs/protocol E-24)"
        return message


class AnalogInput(RequestComponent):
    """The analog port that the SIP reports."""

    name = "analog_input"
    retries = RETRIES
    _reported = 0
    _port: int | None = None  #: requested; None: leave it as it is

    def select(self, port: int, now: float) -> Future[Outcome]:
        """Select the analog port that the SIP reports.

        Args:
            port: 1 to 5.
            now: Time in s.

        Returns:
            The result, when the SIP shows the port or the retries are over.
        """
        if reason := self._context.unsupported(Command.ADSEL):
            return finished(False, reason)
        if port not in ANALOG_PORTS:
            return finished(False, f"port is {port}, allowed: {ANALOG_PORTS.start} to {ANALOG_PORTS.stop - 1}")
        self._port = port
        return self._request.replace(_REPLACED, now)

    def on_session_start(self, now: float) -> None:
        """Select the requested port again."""
        if self._port is not None:
            self._request.start(now)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.ADSEL(self._port)]

    def _confirmation(self, sip: Sip) -> str:
        self._reported = port_state(sip).selected
        return f"analog port {self._reported}, confirmed by the robot" if self._reported == self._port else ""

    def _failure(self) -> str:
        sent, self._port = self._sent(), None
        return f"{sent}; the robot reports {f'port {self._reported}' if self._reported else 'no analog port'}"
