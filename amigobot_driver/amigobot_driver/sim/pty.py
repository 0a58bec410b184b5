# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot on a pseudo-terminal: for its client a serial port, reached through a symbolic link.

As with a real robot, the session continues when the client closes the port; the watchdog stops the robot. The fault
`unplug` removes link and terminal; later they return as another terminal.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pty
import socket
import termios
import tty
from collections.abc import Callable

from ..protocol import BAUD_RATES
from .server import ServedRobot

#: beginning of the names of terminals
_TERMINALS = "/dev/pts/"
_SPEEDS = {getattr(termios, f"B{baud}"): baud for baud in BAUD_RATES}
#: baud, for a client whose port has none of these speeds
_OTHER_SPEED = 1200


class PtyConnection:
    """A pty whose client side is linked at a path; the link disappears with the robot."""

    def __init__(self, path: str, simulator: ServedRobot, *, check_baud: bool, log: Callable[[str], None]) -> None:
        """Open the terminal and make the link.

        Args:
            path: Path of the link.
            simulator: The robot.
            check_baud: Whether the client's line speed matters, as on a real line.
            log: Called with a line of text when a client or the robot comes or goes.

        Raises:
            OSError: The link cannot be made, or another simulator or replay serves this path.
        """
        self._path, self._simulator, self._check_baud, self._log = path, simulator, check_baud, log
        self._client = False  #: whether a client has the port open
        self._master: int | None = None
        self._claim = _claim(path)
        try:
            self._plug_in()
        except OSError:
            self._claim.close()
            raise

    def watched(self) -> list[int]:
        """Return the file descriptors to poll for input."""
        # Without a client the master would report a hang-up continuously; `read` polls instead.
        return [self._master] if self._master is not None and self._client else []

    def read(self, limit: int) -> bytes:
        """Return the client's bytes, at most `limit`; detects that a client has connected or disconnected."""
        self._update_plug()
        if self._master is None:
            return b""
        try:
            data, connected = os.read(self._master, limit), True
        except OSError as error:  # EAGAIN: the client has written nothing; EIO: no client has the port open
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            data, connected = b"", error.errno == errno.EAGAIN
        self._update_client(self._master, connected=connected)
        return data

    def write(self, data: bytes) -> None:
        """Send bytes to the client; without a client, or with a full buffer, they are lost."""
        if data and self._client and self._master is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, data)

    def close(self) -> None:
        """Remove the link and close the terminal."""
        self._unplug()
        self._claim.close()

    def _update_plug(self) -> None:
        if self._simulator.unplugged and self._master is not None:
            self._unplug()
            self._log("unplugged")
        elif not self._simulator.unplugged and self._master is None:
            self._plug_in()
            self._log(f"plugged in, {self.description}")

    def _plug_in(self) -> None:
        """Open a terminal and make the link to it."""
        self._master, slave = pty.openpty()
        self._device = os.ttyname(slave)
        self.description = f"{self._path} (a link to {self._device})"  #: the path to connect to, for messages
        tty.setraw(slave)  # a terminal in its default mode would echo the robot's bytes
        attributes = termios.tcgetattr(slave)
        attributes[4:6] = termios.B9600, termios.B9600  # the default of a serial port; that of a pty is 38400
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        os.set_blocking(self._master, False)
        os.close(slave)
        try:
            self._link()
        except OSError:
            self._unplug()
            raise

    def _unplug(self) -> None:
        """Remove the link, if it is still the own one, and close the terminal."""
        if self._master is None:
            return
        with contextlib.suppress(OSError):
            if os.readlink(self._path) == self._device:
                os.unlink(self._path)
        os.close(self._master)
        self._master, self._client = None, False

    def _link(self) -> None:
        """Make the symbolic link; replace a dangling link or one to a terminal, but nothing else."""
        if os.path.islink(self._path):
            target = os.readlink(self._path)
            # A program that was killed leaves its link, and any new terminal may have got the name of its own.
            if os.path.exists(self._path) and not target.startswith(_TERMINALS):
                why = f"it is a link to {target}, which exists: remove the link or choose another path"
                raise FileExistsError(errno.EEXIST, why, self._path)
            os.unlink(self._path)
        os.symlink(self._device, self._path)

    def _update_client(self, master: int, *, connected: bool) -> None:
        if connected and not self._client:
            self._log("client connected")
            self._simulator.open_port()
        elif self._client and not connected:
            self._log("client disconnected")
            self._simulator.close_port()
        self._client = connected
        if connected and self._check_baud:
            speed = termios.tcgetattr(master)[5]
            self._simulator.set_client_baud(_SPEEDS.get(speed, _OTHER_SPEED))


def _claim(path: str) -> socket.socket:
    """Return a socket whose existence says that this path is served; it ends with the process, however that ends.

    Raises:
        FileExistsError: Another process has it.
    """
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    folder, name = os.path.split(path)
    key = hashlib.sha256(os.fsencode(os.path.join(os.path.realpath(folder), name))).hexdigest()
    try:
        claim.bind(f"\0amigobot-pty-{key}")  # a name that leaves no file
    except OSError as error:
        claim.close()
        if error.errno != errno.EADDRINUSE:
            raise
        raise FileExistsError(errno.EEXIST, "another simulator or replay serves this path", path) from None
    return claim
