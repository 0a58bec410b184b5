# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Ports: byte streams to a robot, uninterpreted. One module for each kind, and one exception, `PortError`."""

from glob import has_magic

from ..errors import PortError
from .port import Port
from .target import Kind, Target, parse_target

__all__ = ["Kind", "Port", "PortError", "Target", "open_port", "parse_target"]


def open_port(text: str, baud: int) -> Port:
    """Open a port.

    Args:
        text: `/dev/ttyUSB0` or another URL of pyserial, a pattern such as `/dev/ttyUSB*`, `host[:port]` or
            `socket://host:port`, or `sim://` for a simulated robot in this process
            (`sim://amigo-sh?world=office&seed=1`).
        baud: Line speed of a serial port.

    Raises:
        PortError: The text names no port, or the port cannot be opened.
    """
    target = parse_target(text)
    if target.kind is Kind.SIMULATED:
        # Loads the simulator only when it is used.
        from .simulated import SimulatedPort

        return SimulatedPort(text)
    if target.url.startswith("socket://"):
        from .tcp import TcpPort

        return TcpPort(text, target.host, target.tcp_port)
    from .serial import SerialPort, open_match

    pattern = "://" not in target.url and has_magic(target.url)
    return open_match(target.url, baud) if pattern else SerialPort(target.url, baud)
