# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The computer's side of a target, before a byte is sent. Each figure is measured when a row asks for it."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..api import AmigoBot
from ..errors import AmigoBotError, PortError
from ..parallel import run_parallel
from ..robot import Options
from ..transport import Kind
from ..transport.target import DEFAULT_TCP_PORT
from .case import Case
from .own_session import SEARCH
from .tap import received

#: Services of Linux that open serial ports by themselves, by the name of their program.
_SERVICES = {"ModemManager": "ModemManager", "brltty": "brltty", "gpsd": "gpsd.socket gpsd"}
#: Drivers of serial ports on the main board, which are not adapters.
_BUILT_IN = {"port", "serial8250"}
_REACH = 2.0  #: s in which a host must accept a connection
#: s in which a server that refuses a second client closes its connection.
_HANG_UP = 0.5
#: Telnet's negotiation of options: IAC, then WILL, WONT, DO or DONT.
_TELNET = re.compile(rb"\xff[\xfb-\xfe]")


class Computer:
    """What this computer shows of a port of any kind, which it opens at last."""

    parts: tuple[str, ...] = ("simulated robot",)  #: of the table; the last one opens the port

    def __init__(self, case: Case) -> None:
        self.case, self.target = case, case.target

    @cached_property
    def error(self) -> str:
        """Why the port cannot be opened; "" if it can."""
        try:
            self.case.open()
        except PortError as error:
            return str(error).removeprefix(f"{self.target.url}: ")
        return ""


class SerialSide(Computer):
    """A serial port: is it there, may it be used, does another program use it, how is it set."""

    parts = ("port", "permission", "other programs", "opening")

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.path = case.target.url
        self._real = Path(os.path.realpath(self.path))
        #: a URL of pyserial, or a pattern of names
        self.as_it_is = "://" in self.path or any(letter in self.path for letter in "*?[")

    @property
    def exists(self) -> bool:
        """Whether there is such a device, of a serial port as far as the system tells."""
        known = self._real.parent == Path("/dev/pts") or self._device.parent.exists() or not self.case.sysfs.exists()
        return self.as_it_is or (self._real.is_char_device() and known)

    @cached_property
    def others(self) -> list[str]:
        """The other serial ports."""
        return [device for device, _ in serial_ports() if device != self.path]

    @property
    def _device(self) -> Path:
        return self.case.sysfs / "class" / "tty" / self._real.name / "device"

    @property
    def adapter(self) -> str:
        """The driver of an adapter; "" if there is none."""
        driver = self._device / "driver"
        name = Path(os.path.realpath(driver)).name if driver.exists() else ""
        return "" if name in _BUILT_IN else name

    @property
    def latency_timer_ms(self) -> int:
        """Time in ms for which an adapter collects bytes; 0: unknown."""
        with contextlib.suppress(OSError, ValueError):
            return int((self._device / "latency_timer").read_text(encoding="ascii"))
        return 0

    @property
    def latency_file(self) -> str:
        """The file that sets this time."""
        return f"{self.case.sysfs}/bus/usb-serial/devices/{self._real.name}/latency_timer"

    @property
    def refused(self) -> bool:
        """Whether this user may not read and write it."""
        return not self.as_it_is and not os.access(self.path, os.R_OK | os.W_OK)

    @property
    def missing(self) -> str:
        """What is at the path instead of a serial port."""
        name = f"{self.path} is a link to {os.readlink(self.path)}, which" if os.path.islink(self.path) else self.path
        return f"{name} {'is no serial port' if os.path.exists(self.path) else 'does not exist'}"

    @property
    def group(self) -> str:
        """The group that may read and write it; "" if its mode does not let it."""
        if os.stat(self.path).st_mode & 0o060 != 0o060:
            return ""
        with contextlib.suppress(KeyError):
            return Path(self.path).group()
        return str(os.stat(self.path).st_gid)

    @property
    def is_member(self) -> bool:
        """Whether this user belongs to that group, if only since the last login."""
        with contextlib.suppress(KeyError):
            return pwd.getpwuid(os.geteuid()).pw_name in grp.getgrnam(self.group).gr_mem
        return False

    @cached_property
    def holders(self) -> list[Process]:
        """The other programs that have it open."""
        return holders_of(self.path, self.case.proc)


class NetworkSide(Computer):
    """A robot behind a network: the name of the host, other clients, and whether anything listens there."""

    parts = ("host name", "connection")

    @cached_property
    def addresses(self) -> list[str]:
        """The IP addresses of the host; none if its name is not known."""
        with contextlib.suppress(OSError, UnicodeError):
            found = socket.getaddrinfo(self.target.host, None, type=socket.SOCK_STREAM)
            return sorted({str(entry[4][0]) for entry in found})
        return []

    @cached_property
    def hung_up(self) -> bool:
        """Whether it accepts a connection, and ends it at once."""
        if self.error:
            return self._accepts(self.target.tcp_port)
        line, end = self.case.line, self.case.clock() + _HANG_UP
        assert line is not None
        while self.case.clock() < end and not line.chunks and not line.unplugged:
            line.wait(end)
        return line.unplugged

    @cached_property  # it connects: a bridge may serve one client only
    def usual_port_open(self) -> bool:
        """Whether something listens at the usual TCP port of a robot, if that is another one."""
        return self.target.tcp_port != DEFAULT_TCP_PORT and self._accepts(DEFAULT_TCP_PORT)

    def _accepts(self, tcp_port: int) -> bool:
        """Connect to a TCP port of the host and close the connection; return whether it is accepted."""
        with contextlib.suppress(OSError), socket.create_connection((self.target.host, tcp_port), _REACH):
            return True
        return False

    @property
    def telnet(self) -> bool:
        """Whether it speaks Telnet."""
        return self.case.line is not None and bool(_TELNET.match(received(self.case.line.chunks)))


#: What examines the computer's side, by kind of port.
SIDES = {Kind.SERIAL: SerialSide, Kind.NETWORK: NetworkSide, Kind.SIMULATED: Computer}


# -- serial ports -----------------------------------------------------------------------------------------------------


def serial_ports() -> list[tuple[str, str]]:
    """Return device and name of the serial ports that have hardware behind them, USB adapters first."""
    from serial.tools.list_ports import comports

    found = sorted((port.vid is None, port.device, port.description or "") for port in comports())
    return [(device, "no description" if text in ("", "n/a") else text) for _, device, text in found]


class ChosenPort:
    """The serial port to examine if the user names none: the one where a robot answers, else the first."""

    def __init__(self) -> None:
        ports = serial_ports()
        self.entries, devices = [": ".join(port) for port in ports], [device for device, _ in ports]
        answers = run_parallel(_has_robot, devices) if len(devices) > 1 else [True] * len(devices)
        self.device = next((one for one, answer in zip(devices, answers, strict=True) if answer), "".join(devices[:1]))


def _has_robot(device: str) -> bool:
    if holders_of(device, Path("/proc")):
        return False
    options = Options(motors_on_connect=False, sonar_on_connect=False)
    with contextlib.suppress(AmigoBotError), AmigoBot(device, timeout=SEARCH, options=options):
        return True
    return False


# -- programs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Process:
    """A running program."""

    pid: int
    name: str
    own: bool  #: it belongs to the user of this process, who may end it
    stopped: bool  #: it is stopped, for example by Ctrl-Z, and ends only if it continues

    @property
    def is_service(self) -> bool:
        """Whether it is a service of Linux."""
        return self.name in _SERVICES

    @property
    def end(self) -> str:
        """The command that ends it."""
        if self.is_service:
            return f"sudo systemctl stop {_SERVICES[self.name]}"
        commands = ("kill", "kill -CONT") if self.stopped else ("kill",)
        return " && ".join(f"{'' if self.own else 'sudo '}{command} {self.pid}" for command in commands)


def holders_of(path: str, proc: Path) -> list[Process]:
    """Return the other processes that have a file open, as far as this user may see them.

    Args:
        path: Path of a file; links are followed.
        proc: The process file system.
    """
    real, found = os.path.realpath(path), []
    for folder in sorted(proc.glob("[0-9]*"), key=lambda folder: int(folder.name)):
        # A process may have ended, or belong to another user.
        with contextlib.suppress(OSError):
            if int(folder.name) != os.getpid() and real in _open_files(folder):
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
                name, _, state = stat.partition("(")[2].rpartition(") ")
                own = os.geteuid() in (0, folder.stat().st_uid)
                found.append(Process(int(folder.name), name, own, state[0] in "Tt"))
    return found


def _open_files(folder: Path) -> Iterator[str]:
    # Not realpath: it would look at the files, and wait for a network drive that is away.
    for entry in os.scandir(folder / "fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(entry.path)
