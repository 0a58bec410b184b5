# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which port to examine if the user names none."""

from __future__ import annotations

from ..errors import PortError
from ..parallel import run_parallel
from ..transport import open_port
from .finding import Cause, Finding, Severity
from .probe import Answer, Prober
from .processes import holders_of
from .serial_ports import SerialPortEntry, serial_ports


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
        port = open_port(entry.device, 9600)
    except PortError:
        return False
    try:
        return Prober(port).run().answer is Answer.ROBOT
    except PortError:
        return False
    finally:
        port.close()
