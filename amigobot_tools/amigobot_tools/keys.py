# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Keys of a terminal: one at a time, without Enter, with the terminal restored at the end."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
from collections.abc import Iterator

#: Names of keys that send more than one byte, and of events that the terminal reports.
_SEQUENCES = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b"\x1b[I": "focus",
    b"\x1b[O": "focus lost",
}
_FOCUS_EVENTS_ON, _FOCUS_EVENTS_OFF = b"\x1b[?1004h", b"\x1b[?1004l"
_NAMES = {"\x03": "quit", "\x04": "quit", "\x1a": "quit", "\x1b": "escape", " ": "space", "\r": "enter", "\n": "enter"}


class TerminalClosedError(Exception):
    """There is no terminal any more."""


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
    keys = []
    while data:
        if data[:1] != b"\x1b":
            character = chr(data[0])
            keys.append(_NAMES.get(character, character))
            data = data[1:]
            continue
        known = next((code for code in _SEQUENCES if data.startswith(code)), None)
        if known:
            keys.append(_SEQUENCES[known])
            data = data[len(known) :]
        elif any(code.startswith(data) for code in _SEQUENCES):
            return keys, data
        else:
            data = _without_sequence(data)
    return keys, b""


def _without_sequence(data: bytes) -> bytes:
    """The bytes after an escape sequence that has no meaning here."""
    if data[1:2] not in (b"[", b"O"):
        return data[2:]
    for index in range(2, len(data)):
        if 0x40 <= data[index] <= 0x7E:
            return data[index + 1 :]
    return b""


@contextlib.contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Give the keys of the terminal, and restore its settings at the end.

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
