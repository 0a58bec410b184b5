"""A simulated robot on a pseudo-terminal: to its client a serial port, reached through a symbolic link.

As with a real robot, the session goes on when the client closes the port: only its watchdog stops it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import select
import termios
import tty
from collections.abc import Callable

from ..protocol import BAUD_RATES
from .simulator import Simulator

_SPEEDS = {getattr(termios, f"B{baud}"): baud for baud in BAUD_RATES}


class PtyConnection:
    """A pty whose client end is linked at `path`; the link goes when the robot goes.

    `check_baud` makes the client's line speed matter, as on a real line. Raises OSError, with a reason, when
    the link cannot be made.
    """

    def __init__(
        self, path: str, simulator: Simulator, *, check_baud: bool, tell: Callable[[str], None]
    ) -> None:
        self._path, self._simulator, self._check_baud, self._tell = path, simulator, check_baud, tell
        self._connected = False
        self._master, slave = pty.openpty()
        try:
            self._device = os.ttyname(slave)
            tty.setraw(slave)  # else the line discipline would echo, and end the session at byte 4
            os.set_blocking(self._master, False)
            self._link()
        except OSError:
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        self.description = f"{path} (a link to {self._device})"

    def watched(self) -> list[int]:
        # Without a client the master would report a hang-up all the time: look again at the next turn.
        return [self._master] if self._connected else []

    def read(self, limit: int) -> bytes:
        self._notice_client()
        if not self._connected:
            return b""
        try:
            return os.read(self._master, limit)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            return b""

    def write(self, data: bytes) -> None:
        # Nobody there, or a full buffer: lost, as on a line that nobody reads.
        if data and self._connected:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if os.readlink(self._path) == self._device:
                os.unlink(self._path)
        os.close(self._master)

    def _link(self) -> None:
        """Make the symbolic link, in place of one that leads nowhere or to a pty, but of nothing else."""
        if os.path.islink(self._path):
            target = os.readlink(self._path)
            if os.path.exists(self._path) and not target.startswith("/dev/pts/"):
                raise FileExistsError(errno.EEXIST, f"it is a link to {target}, which exists", self._path)
            os.unlink(self._path)
        os.symlink(self._device, self._path)

    def _notice_client(self) -> None:
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        events = dict(poll.poll(0)).get(self._master, 0)
        # What a client wrote before it closed the port is still to be read.
        connected = not events & select.POLLHUP or bool(events & select.POLLIN)
        if connected != self._connected:
            self._connected = connected
            self._tell("client connected" if connected else "client disconnected")
        if connected and self._check_baud:
            speed = termios.tcgetattr(self._master)[5]
            self._simulator.set_client_baud(_SPEEDS.get(speed, -1))
