# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which programs of this computer have a device file or a TCP connection open, from /proc alone."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_ESTABLISHED = "01"


@dataclass(frozen=True, slots=True)
class Process:
    """A running program."""

    pid: int
    name: str
    own: bool  #: it belongs to the user of this process, who may end it


def holders_of(path: str, proc: Path = PROC) -> list[Process]:
    """Return the other processes that have a file open, as far as this user may see them.

    Args:
        path: Path of a file; links are followed.
        proc: The process file system.
    """
    wanted = os.path.realpath(path)
    return _holders(lambda link: link == wanted, proc)


def clients_of(addresses: set[str], tcp_port: int, proc: Path = PROC) -> list[Process]:
    """Return the other processes of this computer that are connected to a TCP server, as far as this user may see them.

    Args:
        addresses: IP addresses of the server.
        tcp_port: Its port.
        proc: The process file system.
    """
    inodes = {
        f"socket:[{inode}]" for address, port, inode in _connections(proc) if port == tcp_port and address in addresses
    }
    return _holders(inodes.__contains__, proc) if inodes else []


def _holders(matches: Callable[[str], bool], proc: Path) -> list[Process]:
    found = []
    for folder in sorted(proc.glob("[0-9]*"), key=lambda folder: int(folder.name)):
        pid = int(folder.name)
        if pid != os.getpid() and any(matches(link) for link in _open_files(folder)):
            found.append(Process(pid, _name(folder), _owner(folder) == os.geteuid() or os.geteuid() == 0))
    return found


def _open_files(folder: Path) -> Iterator[str]:
    try:
        entries = list(os.scandir(folder / "fd"))
    except OSError:  # it has ended, or belongs to another user
        return
    for entry in entries:
        try:
            yield os.readlink(entry.path)
        except OSError:
            continue


def _name(folder: Path) -> str:
    try:
        return (folder / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program"


def _owner(folder: Path) -> int:
    try:
        return folder.stat().st_uid
    except OSError:
        return -1


def _connections(proc: Path) -> Iterator[tuple[str, int, str]]:
    """Remote address, remote port and inode of each established TCP connection."""
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, _, remote, state, *others = line.split()
            if state == _ESTABLISHED:
                address, _, port = remote.partition(":")
                yield _address(address), int(port, 16), others[5]


def _address(text: str) -> str:
    """An address as in /proc/net/tcp, words in the byte order of the machine, as it is usually written."""
    words = bytes.fromhex(text)
    if sys.byteorder == "little":
        words = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    address = ipaddress.ip_address(words)
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)
