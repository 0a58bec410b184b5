# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One examination: its target, its options, and how far it has come."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..transport import Port, open_port
from .probe import ProbeResult
from .session import ObservedSession
from .tap import Chunk, TappedPort
from .target import Target

#: s from the beginning of the session to the end of the observation.
OBSERVED = 10.0


def ignore(text: str) -> None:
    """Take what is done now, and show nothing."""


@dataclass(slots=True, kw_only=True)
class Case:
    """One examination: its target, its options, and how far it has come."""

    target: Target
    baud: int = 0  #: line speed that the user expects; 0: the profile's
    profile: str = ""  #: name or file of a profile; "": by the identity of the robot
    seconds: float = OBSERVED
    limit: float = math.inf  #: s from the beginning until the observation ends, if it has lasted half of `seconds`
    on_progress: Callable[[str], None] = ignore  #: called with what is done now, as it takes a while
    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    opener: Callable[[str, int], Port] = open_port
    clock: Callable[[], float] = time.monotonic  #: s, as of the ports that `opener` opens

    port: Port | None = field(default=None, init=False)
    chunks: list[Chunk] = field(default_factory=list, init=False)  #: every byte on the port, with its time
    early: bytes = field(default=b"", init=False)  #: what came before the first byte was sent
    probe: ProbeResult | None = field(default=None, init=False)  #: what answers
    session: ObservedSession | None = field(default=None, init=False)

    def open(self, baud: int) -> Port:
        """Open the port of the target, with a tap.

        Raises:
            PortError: It cannot be opened.
        """
        return TappedPort(self.opener(self.target.url, baud), self.chunks, self.clock)
