"""Digital and analog ports (docs/protocol.md 5.4, 8.8; AmigoBot manual ch. 5 and app. A)."""

from __future__ import annotations

from collections.abc import Callable

from ..protocol import Io

#: counts of the 10-bit converter for its full 5 V (docs/protocol.md E-29)
_FULL_SCALE, _REFERENCE = 1023, 5.0
#: AN5 sees the battery through a divider (docs/protocol.md E-26, an inference)
_BATTERY_DIVIDER = 1 / 4


class Pins:
    """io0 to io5, each an input or an output as FLASH says, and the analog inputs AN1 to AN5."""

    ANALOG_PORTS = 5

    def __init__(self, battery_volts: Callable[[], float]) -> None:
        self._battery_volts = battery_volts
        #: levels that the world outside puts on the pins, one bit each: open inputs are pulled up
        self.levels = 0b111111
        #: V at AN1 to AN4, likewise
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
        """DIGOUT: the mask in the high byte, states in the low (docs/protocol.md E-24, E-62); inputs stay inputs."""
        mask, states = word >> 8 & self._output_pins, word & 0xFF
        self.outputs = self.outputs & ~mask | states & mask

    def select(self, port: int) -> None:
        """ADSEL; a port that does not exist changes nothing."""
        if 1 <= port <= self.ANALOG_PORTS:
            self.selected = port

    @property
    def inputs(self) -> int:
        """DIGIN: the levels of the pins that are inputs."""
        return self.levels & ~self._output_pins

    @property
    def analog_byte(self) -> int:
        """The selected port as the SIP shows it, 0 to 255 for 0 to 5 V."""
        return self._counts(self.selected) >> 2

    def packet(self, *more: int) -> Io:
        """IOpac; `more` input bytes follow the pins' own."""
        ports = range(1, self.ANALOG_PORTS + 1)
        return Io(digital_in=(self.inputs, *more), digital_out=(self.outputs,), analog=tuple(map(self._counts, ports)))

    def _counts(self, port: int) -> int:
        volts = self._battery_volts() * _BATTERY_DIVIDER if port == self.ANALOG_PORTS else self.volts[port - 1]
        return max(0, min(_FULL_SCALE, round(volts / _REFERENCE * _FULL_SCALE)))
