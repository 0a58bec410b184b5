# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which programs of this computer have a device file open, from /proc alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
#: Services of Linux that open serial ports by themselves, by the name of their program.
_SERVICES = {"ModemManager": "ModemManager", "brltty": "brltty", "gpsd": "gpsd.socket gpsd"}


@dataclass(frozen=True, slots=True)
class Process:
    """A running program."""

    pid: int
    name: str
    own: bool  #: it belongs to the user of this process, who may end it
    stopped: bool  #: it is stopped, for example by Ctrl-Z, and ends only if it continues

    @property
    def is_service(self) -> bool:
        """Whether it is a service of Linux."""
        return self.name in _SERVICES

    @property
    def end(self) -> str:
        """The command that ends it."""
        if self.is_service:
            return f"sudo systemctl stop {_SERVICES[self.name]}"
        commands = ("kill", "kill -CONT") if self.stopped else ("kill",)
        return " && ".join(f"{'' if self.own else 'sudo '}{command} {self.pid}" for command in commands)


def holders_of(path: str, proc: Path = PROC) -> list[Process]:
    """Return the other processes that have a file open, as far as this user may see them.

    Args:
        path: Path of a file; links are followed.
        proc: The process file system.
    """
    real, found = os.path.realpath(path), []
    for folder in sorted(proc.glob("[0-9]*"), key=lambda folder: int(folder.name)):
        # A process may have ended, or belong to another user.
        with contextlib.suppress(OSError):
            if int(folder.name) != os.getpid() and real in _open_files(folder):
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
                name, _, state = stat.partition("(")[2].rpartition(") ")
                own = os.geteuid() in (0, folder.stat().st_uid)
                found.append(Process(int(folder.name), name, own, state[0] in "Tt"))
    return found


def _open_files(folder: Path) -> Iterator[str]:
    for entry in os.scandir(folder / "fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(entry.path)
