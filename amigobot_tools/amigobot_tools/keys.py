# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Keys of a terminal: one at a time, without Enter, with the terminal restored at the end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import termios
from collections.abc import Iterator

from amigobot_driver.cli import UsageError

#: One key: an escape sequence, Alt with a key, or a byte.
_KEY = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]?|\x1bO.?|\x1b.?|.", re.DOTALL)
#: A sequence whose rest has not arrived yet.
_INCOMPLETE = re.compile(rb"\x1b(\[[0-?]*[ -/]*|O)?")
_ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
#: Keys that have a name, and events that the terminal reports.
_NAMES = {
    **{b"\x1b" + mode + code: name for mode in (b"[", b"O") for code, name in _ARROWS.items()},
    **{b"\x1b[I": "focus", b"\x1b[O": "focus lost", b" ": "space", b"\r": "enter", b"\n": "enter"},
    **dict.fromkeys((b"\x03", b"\x04", b"\x1a"), "quit"),
}
_FOCUS_EVENTS_ON, _FOCUS_EVENTS_OFF = b"\x1b[?1004h", b"\x1b[?1004l"


class TerminalClosedError(UsageError):
    """The terminal is closed, or there was none."""


class Keyboard:
    """Reads keys from a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""

    def read(self, timeout: float) -> list[str]:
        """Return the keys that are pressed, waiting for the first one.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            Characters, and names: up, down, left, right, space, enter, escape, focus, focus lost, quit (Ctrl-C, Ctrl-D,
            Ctrl-Z).

        Raises:
            TerminalClosedError: The terminal is closed.
        """
        if not select.select([self._descriptor], [], [], timeout)[0]:
            # Nothing follows: an Escape is the key itself.
            pending, self._pending = self._pending, b""
            return ["escape"] if pending == b"\x1b" else []
        try:
            data = os.read(self._descriptor, 1024)
        except OSError as error:
            raise TerminalClosedError(f"the terminal was closed: {error.strerror}") from None
        if not data:
            raise TerminalClosedError("the terminal was closed")
        keys, self._pending = decode(self._pending + data)
        return keys


def decode(data: bytes) -> tuple[list[str], bytes]:
    """Return the keys in these bytes, and the beginning of a sequence that is not complete yet."""
    parts = _KEY.findall(data)
    rest = parts.pop() if parts and _INCOMPLETE.fullmatch(parts[-1]) else b""
    names = (_NAMES.get(part, "" if len(part) > 1 else chr(part[0])) for part in parts)
    return [name for name in names if name], rest


@contextlib.contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Yield the keys of the terminal, and restore its settings at the end.

    Raises:
        TerminalClosedError: Standard input is not a terminal.
    """
    descriptor = sys.stdin.fileno()
    if not os.isatty(descriptor):
        raise TerminalClosedError("standard input is not a terminal")
    before = termios.tcgetattr(descriptor)
    mode = termios.tcgetattr(descriptor)
    # Ctrl-C, Ctrl-Z and Ctrl-S are keys, too: a program that is suspended or cannot write would not stop the robot.
    mode[0] &= ~(termios.IXON | termios.ICRNL)
    mode[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
    try:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
        _write(_FOCUS_EVENTS_ON)
        yield Keyboard(descriptor)
    finally:
        with contextlib.suppress(termios.error, OSError):
            _write(_FOCUS_EVENTS_OFF)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _write(data: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), data)
