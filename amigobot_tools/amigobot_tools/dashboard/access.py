# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who may use the page: the address it listens on, the token, and the checks of each request's headers."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass

_NAME = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[^:\[\]]+))(?::(?P<port>\d{1,5}))?")
#: Random bytes of a token.
_TOKEN_BYTES = 16


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """The address that the server listens on."""

    host: str
    port: int  #: 0: any free one

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this computer can connect."""
        return self.host == "localhost" or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)


@dataclass(frozen=True, slots=True)
class Access:
    """Decides whether a request is served.

    On loopback there is no token: the checks of the headers keep other pages of the browser out. On any other address
    every request needs the token.
    """

    listen: ListenAddress
    token: str = ""  #: "": none is needed

    @classmethod
    def for_address(cls, listen: ListenAddress) -> Access:
        """Return the rules for an address: outside of loopback with a new random token."""
        return cls(listen, "" if listen.is_loopback else secrets.token_urlsafe(_TOKEN_BYTES))

    def allows_host(self, host: str) -> bool:
        """Whether the Host header names this computer.

        A page of another site can give its own name the address of this computer (DNS rebinding); the browser then
        sends that name.
        """
        parts = _NAME.fullmatch(host)
        if parts is None:
            return False
        name = (parts["six"] or parts["host"]).lower()
        own = socket.gethostname().lower()
        return _is_address(name) or name in (self.listen.host.lower(), "localhost", own, f"{own}.local")

    def allows_origin(self, origin: str | None, host: str) -> bool:
        """Whether the Origin header, if there is one, is the page of this server. Only browsers send it."""
        return origin is None or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")

    def allows_token(self, given: str) -> bool:
        """Whether this is the token, or none is needed."""
        return not self.token or hmac.compare_digest(given.encode(), self.token.encode())


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
