# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot on TCP, as behind a Wi-Fi bridge. The session ends with the connection (docs/protocol 8.1)."""

from __future__ import annotations

import socket
from collections.abc import Callable

from .server import ServedRobot


class TcpConnection:
    """A TCP server for one client; it rejects a second one."""

    def __init__(self, address: tuple[str, int], simulator: ServedRobot, *, log: Callable[[str], None]) -> None:
        """Listen for a client.

        Args:
            address: Host and port; port 0 selects a free one.
            simulator: The robot.
            log: Called with a line of text when a client comes or goes.

        Raises:
            OSError: The address cannot be used.
        """
        self._simulator, self._log = simulator, log
        self._client: socket.socket | None = None
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._listener = socket.create_server(address, family=family, backlog=4)
        self._listener.setblocking(False)
        host, port = self._listener.getsockname()[:2]
        self.port: int = port
        self.description = f"tcp {host}:{port}"

    def watched(self) -> list[int]:
        """Return the file descriptors to poll for input."""
        client = [] if self._client is None else [self._client.fileno()]
        return [self._listener.fileno(), *client]

    def read(self, limit: int) -> bytes:
        """Return the client's bytes, at most `limit`; accepts and drops clients."""
        if self._simulator.unplugged:
            self._drop()
        self._accept()
        if self._client is None:
            return b""
        try:
            data = self._client.recv(limit)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._drop()
        return data

    def write(self, data: bytes) -> None:
        """Send bytes to the client; without a client, or with a full buffer, they are lost."""
        if self._client is None or not data:
            return
        try:
            self._client.send(data)
        except BlockingIOError:
            pass
        except OSError:
            self._drop()

    def close(self) -> None:
        """Close the connection and the listening socket."""
        if self._client is not None:
            self._client.close()
        self._listener.close()

    def _accept(self) -> None:
        try:
            client, address = self._listener.accept()
        except OSError:  # no client, or it has already disconnected
            return
        if self._client is not None or self._simulator.unplugged:
            client.close()
            reason = "another client is connected" if self._client else "unplugged"
            self._log(f"client {address[0]}:{address[1]} rejected: {reason}")
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client
        self._log(f"client connected from {address[0]}:{address[1]}")

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
            self._simulator.disconnect()
            self._log("client disconnected")
