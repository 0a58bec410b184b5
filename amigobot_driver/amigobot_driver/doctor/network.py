# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a network: the name of the host, other clients, and whether anything listens there."""

from __future__ import annotations

import difflib
import errno
import re
import shlex
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import PortError
from ..transport.tcp import DEFAULT_TCP_PORT
from .case import Case
from .finding import Cause, Finding, Severity
from .processes import clients_of
from .tap import received
from .target import Target

#: s in which a server that refuses a second client closes its connection.
_HANG_UP = 0.5
#: Telnet's negotiation of options: IAC, then WILL, WONT, DO or DONT.
_TELNET = re.compile(rb"\xff[\xfb-\xfe]")
#: s in which a host must accept a connection.
_REACH = 2.0
#: TCP ports of serial bridges besides the default: MobileSim's next robots, Moxa, Lantronix, ser2net, Digi, telnet.
USUAL_PORTS = (DEFAULT_TCP_PORT, 8102, 8103, 4001, 10001, 14001, 2000, 2101, 3001, 5000, 23)
#: How similar a name must be to count as a typing error.
_SIMILAR = 0.6


def host_name(case: Case) -> Iterator[Finding]:
    """The name of the host has an address."""
    target = case.target
    try:
        addresses = resolve(target.host)
    except OSError as error:
        yield Finding("host name", Severity.ERROR, f"{target.host} has no address", (_wrong_name(target, error),))
        return
    shown = sorted(addresses)
    text = f"{target.host} is {shown[0]}" if shown != [target.host] else f"{target.host} is an address"
    yield Finding("host name", Severity.OK, text)


def other_clients(case: Case) -> Iterator[Finding]:
    """No other program of this computer is connected to the robot."""
    target = case.target
    clients = clients_of(resolve(target.host), target.tcp_port, case.proc)
    if not clients:
        yield Finding("other clients", Severity.OK, "no other program of this computer is connected to it")
        return
    names = ", ".join(f"{client.name} (process {client.pid})" for client in clients)
    causes = tuple(
        Cause(
            "other-client",
            f"{client.name} (process {client.pid}) is connected to the robot, which serves one client at a time.",
            "",
            f"{'' if client.own else 'sudo '}kill {client.pid}",
        )
        for client in clients
    )
    yield Finding("other clients", Severity.ERROR, f"another program is connected to it: {names}", causes)


def connection(case: Case) -> Iterator[Finding]:
    """The host accepts a connection, and keeps it."""
    target = case.target
    try:
        line = case.open()
    except PortError as error:
        yield _no_connection(target, str(error))
        return
    end = time.monotonic() + _HANG_UP
    while time.monotonic() < end and not line.chunks and not line.unplugged:
        line.wait(end)
    if line.unplugged:
        yield _taken(target)
        return
    shown = f"{target.host} accepts connections on port {target.tcp_port}"
    if _TELNET.match(received(line.chunks)):
        text = "The port speaks Telnet, which changes the bytes 255 of packets: some packets never arrive."
        action = "Set the port of the bridge to raw TCP (ser2net: raw). Then:"
        cause = Cause("telnet", text, action, target.command())
        yield Finding("connection", Severity.WARNING, f"{shown}, with Telnet", (cause,))
        return
    yield Finding("connection", Severity.OK, shown)


def _wrong_name(target: Target, error: OSError) -> Cause:
    reason = error.strerror or str(error)
    candidates = [*known_names(), f"{target.host}.local", target.host.partition(".")[0]]
    near = [
        name
        for name in difflib.get_close_matches(target.host, candidates, 5, _SIMILAR)
        if name != target.host and has_address(name)
    ]
    text = f"The name {target.host} is not known ({reason})."
    if re.fullmatch(r"[\d.]+", target.host):
        text = f"{target.host} is no IP address: it takes four numbers from 0 to 255."
    if near:
        return Cause("host-name", f"{text} Is {near[0]} meant?", "", f"amigobot doctor {target.with_host(near[0])}")
    action = "Correct the name, or use the IP address; what this computer knows of it:"
    return Cause("host-name", text, action, f"getent hosts {shlex.quote(target.host)}")


def _taken(target: Target) -> Finding:
    """The host accepts a connection, and ends it."""
    text = "It serves one client at a time and has one: another computer or program is connected to it."
    action = "End that program (amigobot_node, a demo of ARIA). Then:"
    cause = Cause("other-client", text, action, target.command())
    shown = f"{target.typed} accepts a connection and ends it at once"
    return Finding("connection", Severity.ERROR, shown, (cause,))


def _no_connection(target: Target, error: str) -> Finding:
    """Say why the host accepts no connection, from what one attempt gives."""
    code = attempt(target.host, target.tcp_port)
    if code == 0:
        return _taken(target)
    if code == errno.ECONNREFUSED:
        text = f"{target.host} is on, but nothing listens on its port {target.tcp_port}."
        other = next((port for port in USUAL_PORTS if port != target.tcp_port and attempt(target.host, port) == 0), 0)
        if other:
            command = f"amigobot doctor {target.with_tcp_port(other)}"
            cause = Cause("wrong-socket", f"{text} Something listens on port {other}.", "", command)
        else:
            action = "Start the bridge's serial server or the simulator, and look up its TCP port. Then:"
            cause = Cause("wrong-socket", text, action, target.command())
        return Finding("connection", Severity.ERROR, f"{target.typed} refuses the connection", (cause,))
    text = f"{target.host} does not answer: it is off, out of range, or on another network."
    cause = Cause("host-off", text, "Switch it on, and connect both to one network. Then:", target.command())
    shown = f"no connection to {target.typed}"
    return Finding("connection", Severity.ERROR, shown, (cause,), values={"error": error})


def resolve(host: str) -> set[str]:
    """Return the IP addresses of a host.

    Raises:
        OSError: The name has no address.
    """
    try:
        return {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except UnicodeError as error:
        raise OSError(errno.EINVAL, "it is not the name of a host") from error


def has_address(host: str) -> bool:
    """Return whether a name has an address."""
    try:
        return bool(resolve(host))
    except OSError:
        return False


def known_names(file: Path = Path("/etc/hosts")) -> list[str]:
    """Return the names of hosts that this computer knows by itself."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [name for line in lines for name in line.partition("#")[0].split()[1:]]


def attempt(host: str, tcp_port: int) -> int:
    """Connect to a TCP port and close the connection.

    Returns:
        0, or the number of the error.
    """
    try:
        with socket.create_connection((host, tcp_port), _REACH):
            return 0
    except OSError as error:
        return error.errno or errno.ETIMEDOUT
