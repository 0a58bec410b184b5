# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital outputs and the choice of an analog port (docs/protocol 4.1, E-24).

The SIP reports the outputs and the chosen port. Both are sent until the SIP shows them, and again in the next session.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import Future

from ...errors import RequestRefusedError
from ...protocol import Command, Instruction, Io, Sip
from ..component import Context
from ..events import IoState
from ..outcome import Outcome
from ..request import RequestComponent, RetryPolicy

RETRIES = RetryPolicy(interval=0.3, limit=5)
#: AN1 to AN5 (docs/protocol E-26).
ANALOG_PORTS = range(1, 6)
#: Volts per count of the analog byte in a SIP (docs/protocol 5.2).
SIP_VOLTS = 5.0 / 255
#: s after which the values of an IOpac are too old.
STALE = 1.0
_NO_PACKET = Io(digital_in=(), digital_out=(), analog=())
#: IO_0 to IO_5 of the AmigoBot; DIGOUT has bits for eight.
AMIGO_PINS, ALL_PINS = 0x3F, 0xFF


class PortReader:
    """Completes the ports in a SIP from the last IOpac."""

    volts_per_count = 0.0  #: V per count of an analog input in IOpacs; 0: as in the profile

    def __init__(self, context: Context) -> None:
        self._context = context
        self._packet, self._stamp = _NO_PACKET, -math.inf
        context.on_packet(Io, self._on_io)

    def state(self, sip: Sip, stamp: float) -> IoState:
        """Return the ports at a SIP, whose values are of the time `stamp` (s)."""
        packet = self._packet if stamp - self._stamp < STALE else _NO_PACKET
        scale = self.volts_per_count or self._context.profile().inputs.volts_per_count
        return IoState(
            digital_inputs=next(iter(packet.digital_in), None) if sip.digital_in is None else sip.digital_in,
            digital_outputs=next(iter(packet.digital_out), None) if sip.digital_out is None else sip.digital_out,
            more_digital_inputs=packet.digital_in[1:],
            analog=tuple([count * scale for count in packet.analog]),
            selected_port=selected_port(sip),
            selected_analog=None if sip.analog is None else sip.analog * SIP_VOLTS,
        )

    def _on_io(self, packet: Io, stamp: float, now: float) -> None:
        self._packet, self._stamp = packet, stamp


def selected_port(sip: Sip) -> int:
    """Return the analog port that a SIP reports, from 1; 0: unknown."""
    port, _ = _port_and_gripper(sip)
    return port if port in ANALOG_PORTS else 0


def gripper_byte(sip: Sip) -> int:
    """Return the byte of a SIP with the state of the gripper."""
    return _port_and_gripper(sip)[1]


def _port_and_gripper(sip: Sip) -> tuple[int, int]:
    """AmigOS has the analog port in the low byte, later firmware in the high one (docs/protocol E-30)."""
    low, high = sip.port_low or 0, sip.port_high or 0
    usual, other = (low, high) if sip.battery_x10 is None else (high, low)
    return (other, usual) if other in ANALOG_PORTS and usual not in ANALOG_PORTS else (usual, other)


class DigitalOutputs(RequestComponent):
    """The digital outputs. `requested` has their mask and states; those that were never requested are left alone."""

    name = "digital_outputs"
    retries = RETRIES
    requested: tuple[int, int] | None = None
    reported: int | None
    mask_first = False  #: the mask in the low byte instead of the high one (docs/protocol E-24)

    def set(self, mask: int, states: int, now: float) -> Future[Outcome]:
        """Set the pins of a mask; others keep their requested state.

        Args:
            mask: bit n stands for IO_n.
            states: a bit for each pin; those outside the mask do not count.
            now: Time in s.

        Returns:
            The result, when the SIP shows the outputs or the retries are over.
        """
        self._context.require(Command.DIGOUT)
        pins = AMIGO_PINS if self._context.profile().firmware in ("A", "S") else ALL_PINS
        if not mask or mask & ~pins:
            top = pins.bit_length() - 1
            raise RequestRefusedError(f"mask is {mask:#04x}: this robot has IO_0 to IO_{top}, bits of {pins:#04x}")
        others, kept = self.requested or (0, 0)
        self.requested = others | mask, (kept & ~mask) | (states & mask)
        return self.replace(now)

    def _commands(self) -> Iterable[Instruction]:
        mask, states = self.requested or (0, 0)
        return [Command.DIGOUT(states << 8 | mask if self.mask_first else mask << 8 | states)]

    def _confirmation(self, sip: Sip) -> str:
        return "" if self._wrong() else f"outputs {self.reported:#04x}, confirmed by the robot"

    def _update(self, sip: Sip, stamp: float, now: float) -> None:
        self.reported = sip.digital_out

    def _wrong(self) -> int:
        mask, states = self.requested or (0, 0)
        return mask if self.reported is None else (self.reported ^ states) & mask

    def _failure(self) -> str:
        wrong, sent = self._wrong(), self._sent()
        mask, states = self.requested or (0, 0)
        # Outputs that do not follow are not requested again.
        self.requested = (mask & ~wrong, states & ~wrong) if mask & ~wrong else None
        if self.reported is None:
            return f"{sent}; the robot reports no outputs: its packets end before them"
        names = ", ".join(f"IO_{pin}" for pin in range(8) if wrong >> pin & 1)
        return (
            f"{sent}; the robot reports outputs {self.reported:#04x}: {names} did not follow, being configured as "
            "input (FLASH io0 to io5), or because this firmware expects mask and states swapped (docs/protocol E-24)"
        )


class AnalogInput(RequestComponent):
    """The analog port that the SIP reports: `requested`, or else the one that the robot has selected."""

    name = "analog_input"
    retries = RETRIES
    requested: int | None = None
    reported: int | None

    def select(self, port: int, now: float) -> Future[Outcome]:
        """Select the analog port that the SIP reports.

        Args:
            port: 1 to 5.
            now: Time in s.

        Returns:
            The result, when the SIP shows the port or the retries are over.
        """
        self._context.require(Command.ADSEL)
        if port not in ANALOG_PORTS:
            raise RequestRefusedError(f"port is {port}, allowed: {ANALOG_PORTS.start} to {ANALOG_PORTS.stop - 1}")
        self.requested = port
        return self.replace(now)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.ADSEL(self.requested)]

    def _confirmation(self, sip: Sip) -> str:
        self.reported = selected_port(sip)
        return f"analog port {self.reported}, confirmed by the robot" if self.reported == self.requested else ""

    def _failure(self) -> str:
        sent, self.requested = self._sent(), None
        return f"{sent}; the robot reports {f'port {self.reported}' if self.reported else 'no analog port'}"
