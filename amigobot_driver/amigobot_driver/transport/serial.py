# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A serial port through pyserial: /dev/ttyUSB0, a pattern such as /dev/ttyUSB*, and rfc2217://host:port."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import termios
import threading
from glob import glob

import serial

from ..connection_policy import WRITE_TIMEOUT
from ..errors import PortError
from ..protocol import BITS_PER_BYTE

#: Bytes of one read at most, as many as a serial port in the kernel holds.
_LARGEST_READ = 4096
#: Exceptions of pyserial: its own (OSError), and what it raises when a port disappears during a call.
_FAILURES = (OSError, termios.error, TypeError, ValueError)


class SerialPort:
    """A pyserial port, 8N1 without flow control (docs/protocol 3.3)."""

    def __init__(self, url: str, baud: int) -> None:
        self.name = url
        self._lock = threading.Lock()
        self._closing = threading.Lock()
        self._is_device = "://" not in url
        if self._is_device and not os.path.exists(url):
            raise PortError(_explain(url, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))))
        if self._is_device and _is_terminal(url):
            raise PortError(f"{url}: it is a terminal window now, not a robot; start the simulator again")
        try:
            self._serial = serial.serial_for_url(url, baud, do_not_open=True)
            if self._is_device:
                # Only local ports support these two.
                self._serial.exclusive = True
                self._serial.write_timeout = WRITE_TIMEOUT
            self._serial.open()
        except _FAILURES as error:
            raise PortError(_explain(url, error)) from None
        except Exception as error:  # re.error of hwgrep://, KeyError of loop://: each form of URL has its own
            raise PortError(f"{url}: pyserial cannot open this URL: {error!r}; correct it") from None
        self._request_low_latency()
        self.byte_time = BITS_PER_BYTE / baud

    def _request_low_latency(self) -> None:
        """Have bytes passed on as they arrive: an FTDI adapter collects them for 16 ms otherwise."""
        # Linux only, and since pyserial 3.5. Not every adapter, and no pty, can do it; then stamps have more jitter.
        with contextlib.suppress(AttributeError, NotImplementedError, *_FAILURES):
            self._serial.set_low_latency_mode(True)

    def read(self, timeout: float) -> bytes:
        """Return the available bytes, see `Port.read`."""
        try:
            if self._is_device:
                return self._read_device(timeout)
            if self._serial.timeout != timeout:  # setting it configures the whole port again
                self._serial.timeout = timeout
            first: bytes = self._serial.read(1)
            return first + self._serial.read(self._serial.in_waiting) if first else b""
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None

    def _read_device(self, timeout: float) -> bytes:
        """Read in two system calls: `Serial.read` takes five, a tenth of the CPU of a packet."""
        if not select.select([self._serial], [], [], timeout)[0]:
            return b""
        try:
            data = os.read(self._serial.fileno(), _LARGEST_READ)
        except BlockingIOError:  # another program has read them
            return b""
        if not data:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return data

    def write(self, data: bytes) -> None:
        """Write all bytes, see `Port.write`."""
        try:
            with self._lock:
                self._serial.write(data)
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None

    def set_baud(self, baud: int) -> None:
        """Change the line speed, see `Port.set_baud`."""
        try:
            with self._lock:
                self._serial.baudrate = baud
        except _FAILURES as error:
            raise PortError(_explain(self.name, error)) from None
        self.byte_time = BITS_PER_BYTE / baud

    def close(self) -> None:
        """Close the port, see `Port.close`."""
        # The reader thread may close the port at the same time; pyserial must close its descriptors only once.
        with self._closing:
            cancel = getattr(self._serial, "cancel_read", None)
            if cancel and self._serial.is_open:
                cancel()
            self._serial.close()


def _is_terminal(path: str) -> bool:
    """Whether a pty is the terminal of a program: a killed simulator leaves its link to the number of a pty."""
    if not os.path.realpath(path).startswith("/dev/pts/"):
        return False
    device = os.stat(path).st_rdev
    for file in glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(file, encoding="utf-8", errors="replace") as process:
            if int(process.read().rpartition(")")[2].split()[4]) == device:  # tty_nr
                return True
    return False


def open_match(pattern: str, baud: int) -> SerialPort:
    """Open the first port, in alphabetical order, that matches a pattern and opens.

    Raises:
        PortError: No port matches, or none can be opened.
    """
    errors = []
    for name in sorted(glob(pattern)):
        try:
            return SerialPort(name, baud)
        except PortError as error:
            errors.append(str(error))
    if not errors:
        raise PortError(
            f"{pattern}: no port matches; is the adapter plugged in? `ls /dev/serial/by-id` lists the ports"
        )
    others = f" (no port that matches {pattern} opens, tried: {len(errors)})" if len(errors) > 1 else ""
    raise PortError(errors[0] + others)


_GONE = "the port has disappeared; plug the adapter in again"
_BUSY = "another program has it open; `fuser -v {url}` names it"
_NO_PORT = "it is not a serial port; `ls /dev/serial/by-id` lists the serial ports"
_REMEDIES = {
    errno.ENOENT: "there is no such port; is the adapter plugged in? `ls /dev/serial/by-id` lists the ports",
    errno.EACCES: "permission denied; `sudo usermod -aG dialout $USER`, then log in again",
    errno.EBUSY: _BUSY,
    errno.EAGAIN: _BUSY,
    errno.EIO: _GONE,
    errno.ENXIO: _GONE,
    errno.ENODEV: _GONE,
    errno.EBADF: _GONE,
    errno.ENOTTY: _NO_PORT,
    errno.EISDIR: _NO_PORT,
    errno.ECONNREFUSED: "connection refused; is the serial server on, and does it listen on this port?",
}
#: The error number in the text of a pyserial exception.
_NUMBER = re.compile(r"\[Errno (\d+)\] |\((\d+), '")


def _explain(url: str, error: Exception) -> str:
    """Return what happened and what to do, from the cause inside a pyserial exception."""
    text = " ".join(str(error).split())
    quoted = _NUMBER.search(text)
    code = getattr(error, "errno", None) or (quoted and int(quoted[1] or quoted[2]))
    if code in _REMEDIES:
        remedy = _REMEDIES[code].format(url=url)
    elif isinstance(error, serial.SerialTimeoutException):
        remedy = "it accepts no bytes; is a device connected to it?"
    elif isinstance(error, TypeError):
        remedy = "the port is closed"
    elif "returned no data" in text:
        remedy = _GONE
    else:
        remedy = _NUMBER.sub("", text)
    return f"{url}: {remedy}"
