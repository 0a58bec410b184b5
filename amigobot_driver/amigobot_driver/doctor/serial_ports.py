# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial ports of this computer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SerialPortEntry:
    """One serial port."""

    device: str
    description: str  #: name of the adapter


def serial_ports() -> list[SerialPortEntry]:
    """Return the serial ports that have hardware behind them, USB adapters first."""
    from serial.tools.list_ports import comports

    found = [(port.vid is None, port.device, port.description or "") for port in comports()]
    return [
        SerialPortEntry(device, description if description not in ("", "n/a") else "no description")
        for _, device, description in sorted(found)
    ]
