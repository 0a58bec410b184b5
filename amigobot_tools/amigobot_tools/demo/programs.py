# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The programs of a demo: a simulated robot and a node, each with a log file."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
from pathlib import Path

from amigobot_driver import AmigoBotError

_END_TIMEOUT = 10.0  # s between SIGINT and SIGKILL
_DOMAINS = range(1, 102)  # their ports lie below those that Linux gives to clients
_FIRST_PORT = 7400  # first UDP port of DDS in domain 0
_PORTS = 250  # UDP ports of a domain
_UNICAST = 10  # the port of the first participant, from the first of its domain


class DemoError(AmigoBotError):
    """The demo failed; the message is one line."""


class Programs:
    """Programs that the terminal's Ctrl-C does not reach: leaving the `with` block ends them, the last one first.

    Args:
        folder: Of the log files.

    Raises:
        DemoError: When leaving the block, one of them has failed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Programs:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for program in reversed(self._programs.values()):
            for number in (signal.SIGINT, signal.SIGKILL):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.send_signal(number)
                    program.wait(_END_TIMEOUT)
        if kind is None:
            self.check(good=0)

    def start(self, name: str, module: str, *arguments: str) -> None:
        """Start a module as a program."""
        with (self._folder / f"{name}.log").open("wb") as log:
            self._programs[name] = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )

    def check(self, good: int | None = None) -> None:
        """Raise DemoError if one of the programs has ended, or if its exit status is not `good`."""
        for name, program in self._programs.items():
            if (status := program.poll()) != good:
                raise DemoError(f"the {name} has ended with status {status}: see {self._folder / name}.log")


def use_own_domain() -> int:
    """Use a ROS domain in which no program of this computer is, on this computer only; return its number."""
    for domain in random.sample(_DOMAINS, len(_DOMAINS)):
        with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as probe:
            probe.bind(("", _FIRST_PORT + _PORTS * domain + _UNICAST))
            for name in ("ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "ROS_NAMESPACE"):
                os.environ.pop(name, None)
            os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
            return domain
    raise DemoError(f"all ROS domains from {_DOMAINS.start} to {_DOMAINS.stop - 1} are in use: end other ROS programs")
