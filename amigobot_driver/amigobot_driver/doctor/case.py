# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One examination: its target, its options, and how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..connection_policy import SEARCH_SPEEDS
from ..transport import Port, Target, open_port
from .own_session import OwnSession
from .tap import TappedLine

#: s from the beginning of the session to the end of the observation.
OBSERVED = 10.0


@dataclass(slots=True, kw_only=True)
class Case:
    """One examination: its target, its options, and how far it has come."""

    target: Target
    baud: int = 0  #: line speed that the user expects; 0: the profile's
    profile: str = ""  #: name or file of a profile; "": by the identity of the robot
    seconds: float = OBSERVED
    on_progress: Callable[[str], None] = lambda text: None  #: called with what is done now, as it takes a while
    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    opener: Callable[[str, int], Port] = open_port
    clock: Callable[[], float] = time.monotonic  #: s, as of the ports that `opener` opens

    line: TappedLine | None = field(default=None, init=False)
    session: OwnSession | None = field(default=None, init=False)

    def open(self) -> TappedLine:
        """Open the port of the target.

        Raises:
            PortError: It cannot be opened.
        """
        self.line = TappedLine(partial(self.opener, self.target.url), self.clock, self.baud or SEARCH_SPEEDS[0])
        return self.line
