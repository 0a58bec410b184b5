# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital and analog ports (docs/protocol 5.4, 8.8; AmigoBot manual ch. 5 and app. A)."""

from __future__ import annotations

from collections.abc import Callable

from ..protocol import Io

_FULL_SCALE = 1023  # counts of the 10-bit converter (docs/protocol E-29)
_REFERENCE = 5.0  # V at full scale


class Pins:
    """io0 to io5, inputs or outputs as FLASH configures them, and the analog inputs AN1 to AN5."""

    ANALOG_PORTS = 5  #: AN1 to AN5

    def __init__(self, divided_battery: Callable[[], float]) -> None:
        """Start with all pins as inputs.

        Args:
            divided_battery: Returns the voltage at AN5 in V, which is a share of the battery's.
        """
        self._divided_battery = divided_battery
        #: external levels of the pins, one bit each: open inputs are pulled up
        self.levels = 0b111111
        #: external voltages at AN1 to AN4, V
        self.volts = [2.5, 0.0, 5.0, 1.25]
        self.restart(0)

    def restart(self, output_pins: int) -> None:
        """Set all outputs to low and select analog port 1.

        Args:
            output_pins: The pins that are outputs, one bit each.
        """
        self._output_pins = output_pins
        self.outputs = 0
        self.selected = 1

    def set_outputs(self, word: int) -> None:
        """Execute DIGOUT; inputs stay inputs (docs/protocol E-24, E-62).

        Args:
            word: Mask in the high byte, states in the low byte.
        """
        mask, states = word >> 8 & self._output_pins, word & 0xFF
        self.outputs = self.outputs & ~mask | states & mask

    def select(self, port: int) -> None:
        """Execute ADSEL: select the analog port of the SIP, 1 to 5; other numbers are ignored."""
        if 1 <= port <= self.ANALOG_PORTS:
            self.selected = port

    @property
    def inputs(self) -> int:
        """Levels of the pins that are inputs, one bit each (DIGIN)."""
        return self.levels & ~self._output_pins

    @property
    def analog_byte(self) -> int:
        """Voltage of the selected port in the SIP, 0 to 255 for 0 to 5 V."""
        return self._counts(self.selected) >> 2

    def packet(self, *more: int) -> Io:
        """Return IOpac.

        Args:
            more: Input bytes that follow the one of the pins.
        """
        ports = range(1, self.ANALOG_PORTS + 1)
        return Io(digital_in=(self.inputs, *more), digital_out=(self.outputs,), analog=tuple(map(self._counts, ports)))

    def _counts(self, port: int) -> int:
        volts = self._divided_battery() if port == self.ANALOG_PORTS else self.volts[port - 1]
        return max(0, min(_FULL_SCALE, round(volts / _REFERENCE * _FULL_SCALE)))
