# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial ports of this computer, and which one to examine if the user names none."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..errors import PortError
from ..parallel import run_parallel
from .case import Case
from .finding import Cause, Finding, Severity
from .processes import holders_of
from .session import OwnSession
from .target import parse_target


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


def choose_port() -> tuple[str, Finding]:
    """Return the serial port to examine, "" if there is none, and what was found.

    Of several ports it is the one where a robot answers, else the first. Ports that another program uses are not asked.
    """
    entries = serial_ports()
    if not entries:
        text = "This computer has no serial port."
        action = "Plug the adapter in; a robot behind a network: amigobot doctor HOST:8101. Then:"
        cause = Cause("no-port", text, action, "amigobot doctor")
        return "", Finding("ports", Severity.ERROR, "this computer has no serial port", (cause,))
    chosen = entries[0].device
    if len(entries) > 1:
        answers = run_parallel(_has_robot, entries)
        chosen = next((entry.device for entry, answer in zip(entries, answers, strict=True) if answer), chosen)
    details = tuple(f"{entry.device}: {entry.description}" for entry in entries)
    return chosen, Finding("ports", Severity.OK, f"{chosen} is examined", details=details)


def _has_robot(entry: SerialPortEntry) -> bool:
    if holders_of(entry.device):
        return False
    try:
        session = OwnSession(Case(target=parse_target(entry.device)).open(), time.monotonic)
    except PortError:
        return False
    try:
        return session.wait()
    finally:
        session.close()
