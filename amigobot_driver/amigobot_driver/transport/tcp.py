"""A TCP connection: a Wi-Fi bridge on an AmigoBot-SH, a serial server, a simulator. socket://host:port"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from urllib.parse import urlsplit

from .port import PortError

_CONNECT_TIMEOUT = 5.0
#: s a write may block when the other side does not read, as a struct timeval.
_WRITE_TIMEOUT = struct.pack("@ll", 1, 0)
#: ms after which a peer that acknowledges nothing counts as gone; the kernel would wait a quarter of an hour.
_PEER_GONE = 5000
#: s without a byte after which the connection is opened anew: a robot answers within one. What stands between here and
#: the robot may have lost its own half, and keep ours open for ever.
SILENCE = 5.0
#: The port every robot and simulator of this family listens on.
DEFAULT_PORT = 8101


class TcpPort:
    """One connection. A serial line may be behind it, whose speed a TCP connection does not tell."""

    byte_time = None

    def __init__(self, url: str) -> None:
        self.name = url
        self._lock = threading.Lock()
        try:
            parts = urlsplit(url)
            address = parts.hostname or "localhost", parts.port or DEFAULT_PORT
        except ValueError as error:
            raise PortError(f"{url}: {error}; the form is socket://host:port") from None
        try:
            self._socket = socket.create_connection(address, _CONNECT_TIMEOUT)
        except OSError as error:
            raise PortError(
                f"{url}: {_reason(error)}; is the robot or the simulator on, and does it listen on port {address[1]}?"
            ) from None
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _WRITE_TIMEOUT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _PEER_GONE)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._heard = time.monotonic()

    def read(self, timeout: float) -> bytes:
        try:
            # Not the socket's own time-out: a thread that writes meanwhile would share it.
            arrived = select.select([self._socket], [], [], timeout)[0]
            data = self._socket.recv(4096) if arrived else b""
        except (OSError, ValueError) as error:
            raise PortError(f"{self.name}: {_reason(error)}") from None
        if arrived and not data:
            raise PortError(f"{self.name}: the other side has closed the connection")
        if data:
            self._heard = time.monotonic()
        elif time.monotonic() - self._heard > SILENCE:
            raise PortError(f"{self.name}: nothing has come for {SILENCE:g} s; is the robot on? Connecting anew")
        return data

    def write(self, data: bytes) -> None:
        try:
            with self._lock:
                self._socket.sendall(data)
        except BlockingIOError:
            raise PortError(f"{self.name}: the other side takes no bytes any more; start it again") from None
        except OSError as error:
            raise PortError(f"{self.name}: {_reason(error)}") from None

    def set_baud(self, baud: int) -> None:
        """A TCP connection has no line speed."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
