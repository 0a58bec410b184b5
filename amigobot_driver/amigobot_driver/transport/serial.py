"""A serial line through pyserial: /dev/ttyUSB0, and rfc2217://host:port."""

from __future__ import annotations

import errno
import re
import termios
import threading

import serial

from .port import PortError

#: Bits on the line for one byte: start, eight data, stop.
_BITS = 10
_WRITE_TIMEOUT = 1.0
#: What pyserial lets through: beside its own, of type OSError, what a port raises that goes away under a call.
_FAILURES = (OSError, termios.error, TypeError, ValueError)


class SerialPort:
    """A pyserial port, 8N1 without flow control (docs/protocol.md 3.3)."""

    def __init__(self, url: str, baud: int) -> None:
        self.name = url
        self._lock = threading.Lock()
        self._closing = threading.Lock()
        try:
            self._serial = serial.serial_for_url(url, baud, do_not_open=True)
            if "://" not in url:
                # Only a local port knows these two.
                self._serial.exclusive = True
                self._serial.write_timeout = _WRITE_TIMEOUT
            self._serial.open()
        except _FAILURES as error:
            raise PortError(_explain(url, error)) from None
        self.byte_time = _BITS / baud

    def read(self, timeout: float) -> bytes:
        try:
            if self._serial.timeout != timeout:  # setting it sets up the whole port anew
                self._serial.timeout = timeout
            first: bytes = self._serial.read(1)
            return first + self._serial.read(self._serial.in_waiting) if first else b""
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None

    def write(self, data: bytes) -> None:
        try:
            with self._lock:
                self._serial.write(data)
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None

    def set_baud(self, baud: int) -> None:
        try:
            with self._lock:
                self._serial.baudrate = baud
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None
        self.byte_time = _BITS / baud

    def close(self) -> None:
        # The reader closes its port too, often at the same moment; pyserial gives its descriptors back only once.
        with self._closing:
            cancel = getattr(self._serial, "cancel_read", None)
            if cancel and self._serial.is_open:
                cancel()
            self._serial.close()


_GONE = "the port has gone; plug the adapter in again"
_BUSY = "another program has it open; `fuser -v {url}` names it"
_NO_PORT = "it is no serial port; `ls /dev/serial/by-id` shows those there are"
_REMEDIES = {
    errno.ENOENT: "there is no such port; is the adapter plugged in? `ls /dev/serial/by-id` shows those there are",
    errno.EACCES: "you may not open it; `sudo usermod -aG dialout $USER`, then log in again",
    errno.EBUSY: _BUSY,
    errno.EAGAIN: _BUSY,
    errno.EIO: _GONE,
    errno.ENXIO: _GONE,
    errno.ENODEV: _GONE,
    errno.EBADF: _GONE,
    errno.ENOTTY: _NO_PORT,
    errno.EISDIR: _NO_PORT,
    errno.ECONNREFUSED: "the connection is refused; is the serial server on, and does it listen there?",
}
#: How pyserial quotes an error number in its own text.
_NUMBER = re.compile(r"\[Errno (\d+)\] |\((\d+), '")


def _explain(url: str, error: Exception) -> str:
    """What happened and what to do, from whatever pyserial wrapped the cause in."""
    text = " ".join(str(error).split())
    quoted = _NUMBER.search(text)
    code = getattr(error, "errno", None) or (quoted and int(quoted[1] or quoted[2]))
    if code in _REMEDIES:
        told = _REMEDIES[code].format(url=url)
    elif isinstance(error, serial.SerialTimeoutException):
        told = "it takes no bytes; is something at its other end?"
    elif isinstance(error, TypeError):
        told = "the port is closed"
    elif "returned no data" in text:
        told = _GONE
    else:
        told = _NUMBER.sub("", text)
    return f"{url}: {told}"
