"""A simulated robot on TCP, as behind a Wi-Fi bridge. The session ends with the connection (docs/protocol.md 8.1)."""

from __future__ import annotations

import socket
from collections.abc import Callable

from .simulator import Simulator

#: bytes for a client that does not read; when they are used up, what the robot says is lost
_SEND_BUFFER = 65536


class TcpConnection:
    """Listens on `address` and serves one client; a second one is turned away. Raises OSError."""

    def __init__(self, address: tuple[str, int], simulator: Simulator, *, log: Callable[[str], None]) -> None:
        self._simulator, self._log = simulator, log
        self._client: socket.socket | None = None
        self._unsent = b""
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._listener = socket.create_server(address, family=family, backlog=4)
        self._listener.setblocking(False)
        host, port = self._listener.getsockname()[:2]
        self.port: int = port
        self.description = f"tcp {host}:{port}"

    def watched(self) -> list[int]:
        client = [] if self._client is None else [self._client.fileno()]
        return [self._listener.fileno(), *client]

    def read(self, limit: int) -> bytes:
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
        if self._client is None:
            return
        room = _SEND_BUFFER - len(self._unsent)
        self._unsent += data if len(data) <= room else b""
        if not self._unsent:
            return
        try:
            self._unsent = self._unsent[self._client.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._drop()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._listener.close()

    def _accept(self) -> None:
        try:
            client, address = self._listener.accept()
        except OSError:  # nobody there, or already gone again
            return
        if self._client is not None or self._simulator.unplugged:
            client.close()
            reason = "there is one already" if self._client else "unplugged"
            self._log(f"client {address[0]}:{address[1]} turned away: {reason}")
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client, self._unsent = client, b""
        self._log(f"client connected from {address[0]}:{address[1]}")

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
            self._simulator.disconnect()
            self._log("client disconnected")
