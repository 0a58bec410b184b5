"""A serial line through pyserial: /dev/ttyUSB0, and rfc2217://host:port."""

from __future__ import annotations

import errno
import threading

import serial

from .port import PortError

#: Bits on the line for one byte: start, eight data, stop.
_BITS = 10
_WRITE_TIMEOUT = 1.0


class SerialPort:
    """A pyserial port, 8N1 without flow control (PROTOCOL 3.3)."""

    def __init__(self, url: str, baud: int) -> None:
        self.name = url
        self._lock = threading.Lock()
        self._closing = threading.Lock()
        try:
            self._serial = serial.serial_for_url(url, baud, do_not_open=True, write_timeout=_WRITE_TIMEOUT)
            if "://" not in url:
                self._serial.exclusive = True
            self._serial.open()
        except (OSError, ValueError) as error:
            raise PortError(_explain(url, error)) from None
        self.byte_time = _BITS / baud

    def read(self, timeout: float) -> bytes:
        try:
            self._serial.timeout = timeout
            first: bytes = self._serial.read(1)
            return first + self._serial.read(self._serial.in_waiting) if first else b""
        except (OSError, TypeError, ValueError) as error:
            # pyserial raises TypeError or ValueError when another thread closes the port under a read.
            raise PortError(_explain(self.name, error)) from None

    def write(self, data: bytes) -> None:
        try:
            with self._lock:
                self._serial.write(data)
        except (OSError, TypeError, ValueError) as error:
            raise PortError(_explain(self.name, error)) from None

    def set_baud(self, baud: int) -> None:
        try:
            with self._lock:
                self._serial.baudrate = baud
        except (OSError, ValueError) as error:
            raise PortError(_explain(self.name, error)) from None
        self.byte_time = _BITS / baud

    def close(self) -> None:
        # The reader closes its port too, often at the same moment; pyserial gives its descriptors back only once.
        with self._closing:
            cancel = getattr(self._serial, "cancel_read", None)
            if cancel and self._serial.is_open:
                cancel()
            self._serial.close()


def _explain(url: str, error: Exception) -> str:
    """What happened and what to do, from whatever pyserial wrapped the cause in."""
    code = getattr(error, "errno", None)
    text = " ".join(str(error).split())
    if code == errno.ENOENT:
        return f"{url}: there is no such port; is the adapter plugged in? `ls /dev/serial/by-id` shows those there are"
    if code == errno.EACCES:
        return f"{url}: you may not open it; `sudo usermod -aG dialout $USER`, then log in again"
    if code in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text:
        return f"{url}: another program has it open; `fuser -v {url}` names it"
    if code in (errno.EIO, errno.ENXIO, errno.ENODEV, errno.EBADF) or "returned no data" in text:
        return f"{url}: the port has gone; plug the adapter in again"
    return f"{url}: {text}"
