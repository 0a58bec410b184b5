# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The digital and analog ports in SIPs and IOpacs (docs/protocol 5.2, 5.4)."""

from __future__ import annotations

import math

from ...protocol import Io, Sip
from ..component import Context
from ..events import IoState

#: AN1 to AN5 (docs/protocol E-26).
ANALOG_PORTS = range(1, 6)
#: Volts per count of the analog byte in a SIP (docs/protocol 5.2).
SIP_VOLTS = 5.0 / 255
#: s after which the values of an IOpac are too old.
STALE = 1.0
_NO_PACKET = Io(digital_in=(), digital_out=(), analog=())


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
