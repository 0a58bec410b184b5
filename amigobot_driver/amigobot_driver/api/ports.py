# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The ports of the robot: digital outputs and inputs, analog inputs, auxiliary serial ports."""

from __future__ import annotations

from ..errors import AuxReadFailedError, RequestFailedError, RequestRefusedError
from ..robot import Report
from ..wording import wrong_type
from .arguments import integer, number
from .connection import Connection

#: s until a packet shows the voltage of a port that was selected.
_NEXT_PACKET = 2.0
_READ_MARGIN = 5.0  # s that a read may take beyond its own timeout
_WRITE_LIMIT = 120.0  # s for a write of the largest size at 9600 baud


class Ports(Connection):
    """Digital and analog ports, and auxiliary serial ports."""

    def set_digital_outputs(self, mask: int, states: int) -> int:
        """Switch digital outputs, and wait until the robot has confirmed it.

            robot.set_digital_outputs(0b101, 0b001)     # pin 0 on, pin 2 off, the others as they are

        Args:
            mask: Bit n selects pin n.
            states: A bit for each pin; pins outside the mask do not count.

        Returns:
            All outputs, as the robot reports them.

        Raises:
            RequestRefusedError: The robot has no such pins.
            RequestFailedError: A pin did not follow; the message says which.
            ConnectionLostError: The robot is not connected.
        """
        mask, states = integer("mask", mask), integer("states", states)
        self._request(lambda robot, now: robot.digital_outputs.set(mask, states, now))
        with self._locked() as (robot, _):
            return robot.digital_outputs.reported or 0

    def select_analog_input(self, port: int) -> float:
        """Select the analog port that the standard packets report, and read it.

        Args:
            port: 1 to 5.

        Returns:
            The voltage, 0 to 5 V.

        Raises:
            RequestRefusedError: There is no such port.
            RequestFailedError: The robot does not report this port.
            ConnectionLostError: The robot is not connected.
        """
        port = integer("port", port)
        with self._hub.stream((Report,), maxlen=10) as reports:
            self._request(lambda robot, now: robot.analog_input.select(port, now))
            while report := reports.get(_NEXT_PACKET):
                if report.ports.selected_port == port and report.ports.selected_analog is not None:
                    return float(report.ports.selected_analog)
        raise RequestFailedError(f"the packets of this robot do not report the voltage of analog port {port}")

    def aux_write(self, port: int, data: bytes) -> int:
        """Write bytes to an auxiliary serial port, and wait until all are sent to the robot.

        Args:
            port: 1 to 3.
            data: Up to 8192 bytes.

        Returns:
            The number of bytes.

        Raises:
            RequestRefusedError: There is no such port, or too many bytes wait already.
            RequestFailedError: The bytes were not sent.
            ConnectionLostError: The robot is not connected, or the connection ended before all bytes were sent.
        """
        port = integer("port", port)
        if not isinstance(data, bytes | bytearray | memoryview):
            raise RequestRefusedError(wrong_type("data", data, "bytes, for example b'text' or text.encode()"))
        data = bytes(data)
        return self._request(lambda robot, _: robot.aux_port(port).write(data), limit=_WRITE_LIMIT).count

    def aux_read(self, port: int, count: int = 0, timeout: float = 1.0, *, flush: bool = False) -> bytes:
        """Read bytes from an auxiliary serial port.

        Args:
            port: 1 to 3.
            count: How many bytes, up to 8192; 0: all that come within the timeout.
            timeout: Seconds to wait at most.
            flush: First drop what the port has received so far.

        Returns:
            The bytes.

        Raises:
            AuxReadFailedError: Fewer bytes came; `data` has them.
            RequestRefusedError: There is no such port, or a value is out of range.
            ConnectionLostError: The robot is not connected.
        """
        port, count, timeout = integer("port", port), integer("count", count), number("timeout", timeout)
        with self._locked() as (robot, now):
            future = robot.aux_port(port).read(count, timeout, now, flush=flush)
            asked = not future.done()
        reading = self._wait(future, timeout + _READ_MARGIN)
        if not reading.success:
            self._check_connected()
            raise AuxReadFailedError(reading.message, reading.data) if asked else RequestRefusedError(reading.message)
        return reading.data
