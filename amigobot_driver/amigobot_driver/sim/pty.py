"""A simulated robot on a pseudo-terminal: to its client a serial port, reached through a symbolic link.

As with a real robot, the session goes on when the client closes the port: only the watchdog stops it. When
the robot is unplugged (see `faults`) link and terminal are gone, and come back as another terminal.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import select
import termios
import tty
from collections.abc import Callable

from ..protocol import BAUD_RATES
from .simulator import Simulator

_SPEEDS = {getattr(termios, f"B{baud}"): baud for baud in BAUD_RATES}
#: what a client's port runs at when it is none of those
_OTHER_SPEED = 1200


class PtyConnection:
    """A pty whose client end is linked at `path`; the link goes when the robot goes.

    `check_baud` makes the client's line speed matter, as on a real line. Raises OSError when the link cannot
    be made.
    """

    def __init__(self, path: str, simulator: Simulator, *, check_baud: bool, log: Callable[[str], None]) -> None:
        self._path, self._simulator, self._check_baud, self._log = path, simulator, check_baud, log
        self._client = False  #: somebody has the port open
        self._master: int | None = None
        self._plug_in()

    @property
    def description(self) -> str:
        return f"{self._path} (a link to {self._device})"

    def watched(self) -> list[int]:
        # Without a client the master would report a hang-up all the time: look again at the next turn.
        return [self._master] if self._master is not None and self._client else []

    def read(self, limit: int) -> bytes:
        self._follow_plug()
        if self._master is None or not self._client_there(self._master):
            return b""
        try:
            return os.read(self._master, limit)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            return b""

    def write(self, data: bytes) -> None:
        # Nobody there, or a full buffer: lost, as on a line that nobody reads.
        if data and self._client and self._master is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, data)

    def close(self) -> None:
        if self._master is not None:
            self._unplug()

    def _follow_plug(self) -> None:
        if self._simulator.unplugged and self._master is not None:
            self._unplug()
            self._log("unplugged")
        elif not self._simulator.unplugged and self._master is None:
            self._plug_in()
            self._log(f"plugged in, {self.description}")

    def _plug_in(self) -> None:
        self._open()
        try:
            self._link()
        except OSError:
            self._close()
            raise

    def _unplug(self) -> None:
        with contextlib.suppress(OSError):
            if os.readlink(self._path) == self._device:
                os.unlink(self._path)
        self._close()

    def _open(self) -> None:
        self._master, slave = pty.openpty()
        self._device = os.ttyname(slave)
        tty.setraw(slave)  # a terminal in its default state would echo what the robot says
        os.set_blocking(self._master, False)
        os.close(slave)

    def _close(self) -> None:
        if self._master is not None:
            os.close(self._master)
        self._master, self._client = None, False

    def _link(self) -> None:
        """Make the symbolic link, in place of one that leads nowhere or to a pty, but of nothing else."""
        if os.path.islink(self._path):
            target = os.readlink(self._path)
            if os.path.exists(self._path) and not target.startswith("/dev/pts/"):
                raise FileExistsError(errno.EEXIST, f"it is a link to {target}, which exists", self._path)
            os.unlink(self._path)
        os.symlink(self._device, self._path)

    def _let_the_next_in(self) -> None:
        """Undo a client's wish to be alone (TIOCEXCL).

        On a serial line that ends with the port's last close. A pty keeps it, and who is not root would find the port
        busy for ever; when that is we ourselves, another terminal is needed, which mostly gets the same name.
        """
        try:
            slave = os.open(self._device, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            before = self._device
            self._close()
            self._open()
            if self._device != before:
                self._link()
        else:
            fcntl.ioctl(slave, termios.TIOCNXCL)
            os.close(slave)

    def _client_there(self, master: int) -> bool:
        poll = select.poll()
        poll.register(master, select.POLLIN)
        events = dict(poll.poll(0)).get(master, 0)
        # What a client wrote before it closed the port is still to be read.
        there = not events & select.POLLHUP or bool(events & select.POLLIN)
        if there and not self._client:
            self._log("client connected")
        elif self._client and not there:
            self._log("client disconnected")
            self._let_the_next_in()
        self._client = there
        if there and self._check_baud:
            speed = termios.tcgetattr(master)[5]
            self._simulator.set_client_baud(_SPEEDS.get(speed, _OTHER_SPEED))
        return there
