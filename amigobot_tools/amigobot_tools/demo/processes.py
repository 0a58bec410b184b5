# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Child processes that the terminal's Ctrl-C does not reach, and that never outlive their parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
#: s between SIGINT and SIGKILL
_PATIENCE = 10.0


class Child:
    """A program whose output goes to a log file. Start it from the main thread: with that it ends."""

    def __init__(self, name: str, command: Sequence[str], log: Path, variables: Mapping[str, str]) -> None:
        self.name = name
        self.log = log
        with log.open("wb") as output:
            # A session of its own: what is typed at the terminal reaches only the parent.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**variables, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
                preexec_fn=partial(_end_with, os.getpid()),
            )
        self._read = 0

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs, negative when a signal ended it."""
        return self._process.poll()

    @property
    def text(self) -> str:
        """All it has written."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def say(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def new_lines(self) -> list[str]:
        """The lines it has written since the last call, whole ones only."""
        with self.log.open("rb") as log:
            log.seek(self._read)
            data, newline, _ = log.read().rpartition(b"\n")
        self._read += len(data + newline)
        return data.decode(errors="replace").splitlines()

    def end(self) -> None:
        """Ask it to end and wait; kill it when it does not."""
        for number in (signal.SIGINT, signal.SIGKILL):
            if self.status is None:
                self._process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_PATIENCE)
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()


def _end_with(parent: int) -> None:
    """Runs in the child before its program does: SIGINT shall reach it when the parent dies, even of SIGKILL."""
    if not hasattr(_LIBC, "prctl"):  # Linux only; elsewhere the children of a parent that is killed run on
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
    if os.getppid() != parent:  # it died before prctl
        os._exit(1)
