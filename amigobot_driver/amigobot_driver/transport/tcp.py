# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A TCP connection to a Wi-Fi bridge, a serial server or a simulator: socket://host:port."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time

from ..connection_policy import TCP_CONNECT_TIMEOUT, TCP_SILENCE, TCP_TAKEN, WRITE_TIMEOUT
from ..errors import PortError

#: Timeout of a write as a struct timeval, for a peer that does not read.
_WRITE_TIMEOUT = struct.pack("@ll", int(WRITE_TIMEOUT), round(WRITE_TIMEOUT % 1 * 1e6))
_TAKEN = "the peer closes the connection at once; is another program connected to the robot? It serves one at a time"


class TcpPort:
    """A port over TCP. There may be a serial line behind it; a TCP connection does not reveal its speed."""

    byte_time = None

    def __init__(self, name: str, host: str, tcp_port: int) -> None:
        self.name = name
        self._lock = threading.Lock()
        try:
            self._socket = socket.create_connection((host, tcp_port), TCP_CONNECT_TIMEOUT)
        except UnicodeError:
            raise PortError(f"{name}: no host can have this name; correct it") from None
        except OSError as error:
            raise PortError(
                f"{name}: {_reason(error)}; is the robot or the simulator on, and does it listen on port {tcp_port}?"
            ) from None
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _WRITE_TIMEOUT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received_at = time.monotonic()
        self._silent = True  #: no byte has been received
        if select.select([self._socket], [], [], TCP_TAKEN)[0] and not self._peeked():
            self.close()
            raise PortError(f"{name}: {_TAKEN}")

    def _peeked(self) -> bytes:
        with contextlib.suppress(OSError):
            return self._socket.recv(1, socket.MSG_PEEK)
        return b""

    def read(self, timeout: float) -> bytes:
        """Return the available bytes, see `Port.read`."""
        try:
            # Not the timeout of the socket: a writing thread would share it.
            arrived = select.select([self._socket], [], [], timeout)[0]
            data = self._socket.recv(4096) if arrived else b""
        except (OSError, ValueError) as error:
            raise PortError(f"{self.name}: {_reason(error)}") from None
        if arrived and not data:
            raise PortError(f"{self.name}: {_TAKEN if self._silent else 'the peer has closed the connection'}")
        if data:
            self._silent = False
            self._received_at = time.monotonic()
        elif time.monotonic() - self._received_at > TCP_SILENCE:
            raise PortError(f"{self.name}: no bytes for {TCP_SILENCE:g} s; is the robot on? Reconnecting")
        return data

    def write(self, data: bytes) -> None:
        """Write all bytes, see `Port.write`."""
        try:
            with self._lock:
                self._socket.sendall(data)
        except BlockingIOError:
            raise PortError(f"{self.name}: the peer accepts no more bytes; restart it") from None
        except OSError as error:
            raise PortError(f"{self.name}: {_reason(error)}") from None

    def set_baud(self, baud: int) -> None:
        """Do nothing: a TCP connection has no line speed."""

    def close(self) -> None:
        """Close the port, see `Port.close`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
