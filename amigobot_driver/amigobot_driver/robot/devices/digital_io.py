# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital outputs and the choice of an analog port (docs/protocol 4.1, E-24).

The SIP reports the outputs and the chosen port. Both are sent until the SIP shows them, and again in the next session.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ...errors import RequestRefusedError
from ...protocol import Command, Instruction, Sip
from ..outcome import Outcome
from ..request import RequestComponent, RetryPolicy
from ..sensing.io_ports import ANALOG_PORTS, selected_port

RETRIES = RetryPolicy(interval=0.3, limit=5)
AMIGO_PINS = 0x3F  # IO_0 to IO_5 of the AmigoBot
ALL_PINS = 0xFF  # DIGOUT has bits for eight


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
