# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a user types for a port, as the driver opens it."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from ..errors import PortError

#: Default TCP port of these robots and their simulators.
DEFAULT_TCP_PORT = 8101
#: URLs of pyserial, besides those of a network
_SERIAL_SCHEMES = ("alt", "cp2110", "hwgrep", "loop", "spy")
#: a serial port, or a pattern of them, without its folder, be it there or not
_SERIAL_NAME = re.compile(r"(tty|rfcomm|cu\.|COM\d)[\w.*?[\]-]*", re.IGNORECASE)
_FORM = "the form is HOST:PORT, for example 192.168.1.11:8101"


class Kind(Enum):
    """Kinds of ports, which have different checks."""

    SERIAL = "serial port"
    NETWORK = "network"
    SIMULATED = "simulated robot"


@dataclass(frozen=True, slots=True)
class Target:
    """A port that a user has named."""

    typed: str  #: as the user wrote it
    url: str  #: as the driver opens it
    kind: Kind
    host: str = ""  #: of a network port
    tcp_port: int = 0

    @property
    def speedless(self) -> bool:
        """Whether it passes bytes at any line speed: a pseudo-terminal, Bluetooth, or USB of a controller."""
        return os.path.realpath(self.url).startswith(("/dev/pts/", "/dev/rfcomm", "/dev/ttyACM"))

    def command(self, more: str = "") -> str:
        """Return the command that examines this target again."""
        return f"amigobot doctor {shlex.quote(self.typed)}{more}"

    @property
    def at_usual_port(self) -> str:
        """What to type for the usual TCP port of a robot at the same host."""
        scheme = f"{self.typed.partition('://')[0]}://" if "://" in self.typed else ""
        return f"{scheme}{_address(self.host, DEFAULT_TCP_PORT)}"

    @property
    def quoted(self) -> str:
        """The URL for a shell."""
        return shlex.quote(self.url)


def parse_target(text: str) -> Target:
    """Return the target that a text names: a device file, HOST, HOST:PORT, or the URL of a port.

    Raises:
        PortError: The text names no port.
    """
    if not text or not text.isprintable():
        raise PortError(f"the port is {text!r}; allowed: /dev/ttyUSB0, HOST:{DEFAULT_TCP_PORT}, or the URL of a port")
    scheme, separator, _ = text.partition("://")
    if separator and scheme == "sim":
        return Target(text, text, Kind.SIMULATED)
    if separator and scheme in _SERIAL_SCHEMES:
        return Target(text, text, Kind.SERIAL)
    if separator and scheme not in ("socket", "rfc2217"):
        raise PortError(f"{text}: {scheme}:// is not known, allowed: socket://, rfc2217://, sim://; or {_FORM}")
    if not separator and ("/" in text or os.path.exists(text)):
        return Target(text, text, Kind.SERIAL)
    if not separator and (os.path.exists(f"/dev/{text}") or _SERIAL_NAME.fullmatch(text)):
        return Target(text, f"/dev/{text}", Kind.SERIAL)
    if text.isdecimal():
        raise PortError(f"{text} is a number and no host; {_FORM}, or localhost:{text} on this computer")
    url = text if separator else f"socket://{f'[{text}]' if text.count(':') > 1 and text[0] != '[' else text}"
    try:
        parts = urlsplit(url)
        host, tcp_port = parts.hostname or "", parts.port or DEFAULT_TCP_PORT
    except ValueError as error:
        raise PortError(f"{text}: {error}; {_FORM}") from None
    if not host:
        raise PortError(f"{text}: there is no host; {_FORM}")
    url = parts._replace(netloc=_address(host, tcp_port)).geturl()
    return Target(text, url, Kind.NETWORK, host, tcp_port)


def _address(host: str, tcp_port: int) -> str:
    return f"[{host}]:{tcp_port}" if ":" in host else f"{host}:{tcp_port}"
